"""Does a model see shapes or textures, low or high frequencies? (Geirhos et al. 2019)

Cue-conflict images have the shape of one of sixteen categories and the texture of
another. Of the decisions for either, the shape bias is the share of those for the
shape; how many were for neither is said beside it. Frequency cue conflicts have the low
frequencies of one image, which count as its shape, and the high ones of another.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from jaxtyping import Int

from biases_jax import clusters, labels, proportions
from biases_jax.benchmark import Benchmark
from biases_jax.cue_conflict_scores import CueConflict
from biases_jax.types import Cell, Value

CUES = ("shape", "texture")
OWN = "shape/own/"  # of names, on sets of one's own
BIASES = {
    "cue_conflict": "shape/bias",
    "frequency_cue_conflict": "shape/frequency_bias",
}


def benchmarks() -> Iterator[Benchmark]:
    """Yield both sets of conflicts, by the paper's read-out and by sums.

    Sums of the members' probabilities, not their means, are for models that know a
    few of the classes only, such as one of each category.
    """
    for source in BIASES:
        yield from _of(f"shape/{source}", source)


def own(folder: str) -> Iterator[Benchmark]:
    """Yield those of a folder of the data root with conflicts between any two cues."""
    yield from _of(f"{OWN}{folder}", f"own_cue_conflict/{folder}")


def _of(name: str, source: str) -> Iterator[Benchmark]:
    yield Benchmark(name, source, score=CueConflict(), revision=2)
    score = CueConflict(readout="sum")
    yield Benchmark(f"{name}/sum", source, score=score, revision=2)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return the biases and how often each cue was decided for, in percent.

    `shape/bias` and `shape/frequency_bias`, with `_sum` by the other read-out, are of
    the decisions for one of the two cues, with Wilson's interval; `_clustered` is the
    same with one that knows that images of one shape are alike: by a bootstrap over the
    shape images, from the records. `<benchmark>/<category>/bias` is of the images of
    that shape. `<benchmark>/shape`, `/texture` and `/decided`, which is either, are of
    all scored images. NaN where there are none. A set of one's own has `shape/own/
    <folder>/bias` and so on.
    """
    values = {}
    for benchmark in (*benchmarks(), *_own(cells)):
        name = benchmark.name
        folder = benchmark.source.partition("/")[2]
        overall = BIASES.get(benchmark.source, f"{OWN}{folder}/bias")
        by_sums = "_sum" if benchmark.score.readout == "sum" else ""
        bias = _bias(cells, name)
        values[f"{overall}{by_sums}"] = bias
        values[f"{overall}_clustered{by_sums}"] = _clustered(cells, name, bias)
        for cue in CUES:
            values[f"{name}/{cue}"] = proportions.accuracy(cells, name, cue)
        values[f"{name}/decided"] = _decided(cells, name)
        for category, bias in _by_category(cells, name).items():
            values[f"{name}/{category}/bias"] = bias
    return values


def _own(cells: Mapping[str, Cell]) -> Iterator[Benchmark]:
    """Yield what was measured on sets of one's own."""
    names = [name.removeprefix(OWN) for name in cells if name.startswith(OWN)]
    for folder in sorted({name.removesuffix("/sum") for name in names}):
        yield from (found for found in own(folder) if found.name in cells)


def _bias(cells: Mapping[str, Cell], name: str, category: str = "") -> Value:
    if name not in cells:
        return _absent(name)
    shape, texture = (int(cells[name].sums[f"{cue}{category}"]) for cue in CUES)
    if shape + texture == 0:
        return Value(math.nan, reason="no decision for either cue")
    return proportions.wilson(shape, shape + texture)


def _by_category(cells: Mapping[str, Cell], name: str) -> dict[str, Value]:
    """Return the bias by the category of the shape; NaN where it has no image, too."""
    found = {c: _bias(cells, name, f"/{c}") for c in labels.CATEGORIES}
    lacking = [c for c, value in found.items() if math.isnan(value.value)]
    there = _shapes(cells[name]) if lacking and name in cells else lacking
    return found | {
        category: Value(math.nan, reason=f"no images of {category}")
        for category in lacking
        if category not in there
    }


def _shapes(cell: Cell) -> Sequence[str]:
    """Return which categories have images of their shape; all, where that is gone."""
    try:
        pairs = np.array(cell.examples()["shape_texture"].to_pylist()).reshape(-1, 2)
    except (OSError, ValueError):
        return labels.CATEGORIES
    return [labels.CATEGORIES[place] for place in np.unique(pairs[:, 0]) if place >= 0]


def _decided(cells: Mapping[str, Cell], name: str) -> Value:
    if name not in cells:
        return _absent(name)
    sums = cells[name].sums
    return proportions.wilson(sum(int(sums[c]) for c in CUES), int(sums["scored"]))


def _absent(name: str) -> Value:
    return Value(math.nan, reason=f"{proportions.NOT_MEASURED}{name}")


def _clustered(cells: Mapping[str, Cell], name: str, bias: Value) -> Value:
    """Return the bias with an interval over shape images, without one if none can be.

    That is where records or the list of examples are gone; the reason says so.
    """
    if math.isnan(bias.value):
        return bias
    try:
        return clusters.share(*_by_shape_image(cells[name]))
    except (OSError, ValueError) as error:
        return Value(bias.value, n=bias.n, reason=f"no interval: {error}")


def _by_shape_image(
    cell: Cell,
) -> tuple[Int[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """Return how many decisions were for shape and for texture, by shape image.

    Raises:
        OSError, ValueError: records or examples are not to be had, or do not match.
    """
    records, examples = cell.records(), cell.examples()
    if not records["id"].equals(examples["id"]):
        raise ValueError("got records of other examples than are listed")
    truth = np.array(examples["shape_texture"].to_pylist()).reshape(-1, 2)
    hits = records["predicted"].to_numpy()[:, None] == truth
    hits &= truth[:, :1] != truth[:, 1:]  # equal cues are no conflict
    names, image = np.unique(
        [_shape_image(name) for name in examples["name"].to_pylist()],
        return_inverse=True,
    )
    shape, texture = (np.bincount(image[hit], minlength=len(names)) for hit in hits.T)
    return shape, texture


def _shape_image(name: str) -> str:
    """Return the image whose shape a file has: 'airplane1' of airplane1-bear2.png."""
    return name.rpartition("_")[2].partition("-")[0]
