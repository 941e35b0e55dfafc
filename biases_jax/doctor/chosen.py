"""Which image sets does the doctor look at?"""

from collections.abc import Sequence

from biases_jax import naming
from biases_jax.benchmark import Benchmark
from biases_jax.cells import by_source
from biases_jax.sources import catalog


def select(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the sources that match any pattern ('imagenet_c/*').

    Raises:
        ValueError: a pattern matches nothing.
    """
    return tuple(naming.select(patterns, catalog.SOURCES, "an image set"))


def asked(
    sources: Sequence[str], benchmarks: Sequence[Benchmark]
) -> dict[str, list[Benchmark]]:
    """Return the sources to look at, each with the benchmarks that read it.

    Args:
        sources: by name; none stands for all that the benchmarks read.
        benchmarks: of the run.
    """
    read = by_source(benchmarks)
    return {name: read.get(name, []) for name in sources} if sources else read
