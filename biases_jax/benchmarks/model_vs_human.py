"""Which of sixteen categories does a model see, on images that people saw too?

Geirhos et al. 2021: the images are 224 pixels wide and are not resized, and a decision
is among sixteen categories, by the mean probability of their classes.
"""

from collections.abc import Iterator, Mapping

from biases_jax import category_scores, proportions
from biases_jax.benchmark import Benchmark
from biases_jax.types import Cell, Value


def benchmarks() -> Iterator[Benchmark]:
    """Yield the 800 stylized images, which `natural/stylized_imagenet` are not.

    By the paper's read-out, and by sums of the members' probabilities, for models
    that know a few of the classes only.
    """
    name = "model_vs_human/stylized"
    yield Benchmark(name, name, score=category_scores.Category())
    by_sums = category_scores.Category(readout="sum")
    yield Benchmark(f"{name}/sum", name, score=by_sums)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return 16-way top-1 and top-5 accuracy in percent, with Wilson intervals."""
    return proportions.accuracies(cells, benchmarks())
