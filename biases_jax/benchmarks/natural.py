"""How accurate is a model on natural photographs, and on their relatives?

ImageNet-A and -R have 200 of the 1000 classes. `subset200`, the usual protocol, decides
among those; `full1000` among all. Their clean twins are the images of the same classes
in ImageNet's validation set, under the same protocol (`natural/imagenet_clean_a`, and
`natural/imagenet_clean_a/full1000`): what is lost is the difference to the twin.
"""

from collections.abc import Iterator, Mapping

from biases_jax import proportions, scores
from biases_jax.benchmark import Benchmark
from biases_jax.types import Cell, Value

V2 = ("matched_frequency", "threshold_0.7", "top_images")  # Recht et al. 2019


def benchmarks() -> Iterator[Benchmark]:
    """Yield ImageNet's validation set and the sets made to go with it."""
    yield Benchmark("natural/imagenet", "imagenet")
    for variant in V2:
        yield Benchmark(f"natural/imagenet_v2/{variant}", f"imagenet_v2/{variant}")
    yield Benchmark("natural/imagenet_real", "imagenet", score=scores.AnyOf("real"))
    yield from _of_200_classes("imagenet_a", "natural/imagenet_clean_a")
    yield from _of_200_classes("imagenet_r", "natural/imagenet_clean_r")
    yield Benchmark("natural/imagenet_sketch", "imagenet_sketch")
    yield Benchmark("natural/stylized_imagenet", "stylized_imagenet")


def _of_200_classes(classes: scores.Classes, twin: str) -> Iterator[Benchmark]:
    subset = scores.Subset(classes)
    yield Benchmark(f"natural/{classes}/subset200", classes, score=subset)
    yield Benchmark(f"natural/{classes}/full1000", classes)
    yield Benchmark(twin, "imagenet", score=subset)
    yield Benchmark(f"{twin}/full1000", "imagenet", score=scores.Within(classes))


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return top-1 and top-5 accuracy in percent, with Wilson intervals."""
    return proportions.accuracies(cells, benchmarks())
