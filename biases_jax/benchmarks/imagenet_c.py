"""How robust is a model to 19 common corruptions? The published files of ImageNet-C.

Hendrycks & Dietterich 2019, *Benchmarking neural network robustness to common
corruptions and perturbations*. The paper of the 48 models averages all nineteen, with
the four extras; most others average fifteen.
"""

from collections.abc import Iterator, Mapping

from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import names, summary
from biases_jax.types import Cell, Value

FAMILY = "imagenet_c"


def benchmarks() -> Iterator[Benchmark]:
    """Yield 19 corruptions of 5 severities, each a source of its own."""
    for corruption in names.NINETEEN:
        for name in summary.row(FAMILY, corruption):
            yield Benchmark(name, name)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies, means and corruption errors: see `summary.nineteen`."""
    return summary.nineteen(cells, FAMILY)
