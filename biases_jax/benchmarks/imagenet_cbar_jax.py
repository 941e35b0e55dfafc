"""How robust is a model to ImageNet-C-bar's corruptions, made from the clean images?

The published generator's functions, with draws of their own: means agree with those of
the published files, single images do not.
"""

from collections.abc import Iterator, Mapping

from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import corrupted, names, summary
from biases_jax.types import Cell, Value

FAMILY = "imagenet_cbar_jax"
PUBLISHED = "imagenet_cbar"


def benchmarks() -> Iterator[Benchmark]:
    """Yield 10 corruptions of 5 severities; those of one corruption draw alike."""
    yield from corrupted.benchmarks(FAMILY, names.IMAGENET_CBAR)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies and their means: see `summary.ten`.

    `<benchmark>/gap` is its accuracy less that on the published files, in percentage
    points, where both were measured.
    """
    values = summary.ten(cells, FAMILY)
    return values | summary.gaps(cells, FAMILY, PUBLISHED, names.IMAGENET_CBAR)
