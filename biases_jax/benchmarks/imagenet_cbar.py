"""How robust is a model to 10 corruptions unlike the usual? ImageNet-C-bar's files.

Mintun, Kirillov & Xie 2021, *On interaction between augmentations and corruptions in
natural corruption robustness*: corruptions chosen to be far from those of ImageNet-C.
"""

from collections.abc import Iterator, Mapping

from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import names, summary
from biases_jax.types import Cell, Value

FAMILY = "imagenet_cbar"


def benchmarks() -> Iterator[Benchmark]:
    """Yield 10 corruptions of 5 severities, each a source of its own."""
    for corruption in names.IMAGENET_CBAR:
        for name in summary.row(FAMILY, corruption):
            yield Benchmark(name, name)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies and their means: see `summary.ten`."""
    return summary.ten(cells, FAMILY)
