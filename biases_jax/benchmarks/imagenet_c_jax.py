"""How robust is a model to ImageNet-C's corruptions, made from the clean images?

The published generator's functions, with draws of their own: means agree with those of
the published files, single images do not. Frost is of photographs that are not part of
this package; `frost_synthetic`, of made-up textures, is in no mean.
"""

from collections.abc import Iterator, Mapping

from biases_jax import proportions
from biases_jax.benchmark import Benchmark
from biases_jax.corruptions import (
    corrupted,
    frost,
    frost_textures,
    names,
    summary,
    synthetic_frost,
)
from biases_jax.types import Cell, Value

FAMILY = "imagenet_c_jax"
PUBLISHED = "imagenet_c"
FROSTS = {
    "frost": frost_textures.PUBLISHED,
    "frost_synthetic": synthetic_frost.NAME,
}


def benchmarks() -> Iterator[Benchmark]:
    """Yield 19 corruptions of 5 severities, and synthetic frost.

    Those of one corruption draw alike.
    """
    for corruption in names.NINETEEN:
        if corruption != "frost":
            yield from corrupted.benchmarks(FAMILY, [corruption])
    for name, textures in FROSTS.items():
        for severity in names.SEVERITIES:
            made = frost.Frost(severity, textures=textures)
            yield corrupted.benchmark(FAMILY, name, made)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies, means and corruption errors: see `summary.nineteen`.

    `<benchmark>/gap` is its accuracy less that on the published files, in percentage
    points, where both were measured.
    """
    values = summary.nineteen(cells, FAMILY)
    for name in summary.row(FAMILY, "frost_synthetic"):
        for rate in proportions.RATES:
            values[f"{name}/{rate}"] = proportions.accuracy(cells, name, rate)
    return values | summary.gaps(cells, FAMILY, PUBLISHED, names.NINETEEN)
