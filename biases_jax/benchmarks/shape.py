"""Does a model see shapes or textures? (Geirhos et al. 2019; 2021)

Cue-conflict images have the shape of one of sixteen categories and the texture of
another. Of the decisions for either, the shape bias is the share of those for the
shape; how many were for neither is said beside it.
"""

from collections.abc import Iterator, Mapping

from biases_jax import proportions
from biases_jax.benchmark import Benchmark
from biases_jax.cue_conflict_scores import CueConflict
from biases_jax.types import Cell, Value

CUES = ("shape", "texture")


def benchmarks() -> Iterator[Benchmark]:
    """Yield the cue-conflict images, by the paper's read-out and by sums.

    Sums of the members' probabilities, not their means, are for models that know a
    few of the classes only, such as one of each category.
    """
    name = "shape/cue_conflict"
    yield Benchmark(name, "cue_conflict", score=CueConflict())
    yield Benchmark(f"{name}/sum", "cue_conflict", score=CueConflict(readout="sum"))


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return the shape bias and how often each cue was decided for, in percent.

    `shape/bias`, and `shape/bias_sum` by the other read-out, are of the decisions for
    one of the two cues, with Wilson's interval; `<benchmark>/shape` and `/texture` are
    of all scored images. NaN where there are none.
    """
    values = {}
    for benchmark in benchmarks():
        by_sums = "_sum" if benchmark.score.readout == "sum" else ""
        values[f"shape/bias{by_sums}"] = _bias(cells, benchmark.name)
        for cue in CUES:
            rate = proportions.accuracy(cells, benchmark.name, cue)
            values[f"{benchmark.name}/{cue}"] = rate
    return values


def _bias(cells: Mapping[str, Cell], name: str) -> Value:
    if name not in cells:
        return Value(float("nan"), reason=f"not measured: {name}")
    shape, texture = (int(cells[name].sums[cue]) for cue in CUES)
    if shape + texture == 0:
        return Value(float("nan"), reason="no decision for either cue")
    return proportions.wilson(shape, shape + texture)
