"""Which image sets does the doctor look at?"""

import fnmatch
from collections.abc import Sequence

from biases_jax.benchmark import Benchmark
from biases_jax.cells import by_source
from biases_jax.sources import catalog


def select(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the sources that match any pattern ('imagenet_c/*').

    Raises:
        ValueError: a pattern matches nothing.
    """
    for pattern in patterns:
        if not fnmatch.filter(catalog.SOURCES, pattern):
            raise ValueError(
                f"got source pattern {pattern!r}, which matches none of: "
                f"{', '.join(catalog.SOURCES)}"
            )
    return tuple(
        name
        for name in catalog.SOURCES
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    )


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
