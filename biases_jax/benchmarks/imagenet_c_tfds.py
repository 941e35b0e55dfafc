"""How robust is a model by the ImageNet-C of TensorFlow Datasets?

`imagenet2012_corrupted` was made anew, from other crops, with other random draws, some
other parameters, and rounded to the nearest: its accuracies are not those of the
published files, and there are no figures to compare them with.
"""

from collections.abc import Iterator, Mapping

from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import names, summary
from biases_jax.types import Cell, Value

FAMILY = "imagenet_c_tfds"


def benchmarks() -> Iterator[Benchmark]:
    """Yield 19 corruptions of 5 severities, each a source of its own."""
    for corruption in names.NINETEEN:
        for name in summary.row(FAMILY, corruption):
            yield Benchmark(name, name)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies, means and corruption errors: see `summary.nineteen`."""
    return summary.nineteen(cells, FAMILY)
