"""How accurate is a model on natural photographs?"""

from collections.abc import Iterator, Mapping

from biases_jax import proportions
from biases_jax.benchmark import Benchmark
from biases_jax.types import Cell, Value


def benchmarks() -> Iterator[Benchmark]:
    """Yield ImageNet's validation set."""
    yield Benchmark("natural/imagenet", "imagenet")


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return top-1 and top-5 accuracy in percent, with Wilson intervals."""
    return {
        f"{benchmark.name}/{metric}": proportions.accuracy(
            cells, benchmark.name, metric
        )
        for benchmark in benchmarks()
        for metric in ("top1", "top5")
    }
