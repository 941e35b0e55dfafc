"""Which figures show how robust models are to corruptions?"""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biases_jax.analysis import published
from biases_jax.analysis.drawings import corruption_gaps
from biases_jax.analysis.drawings.drawing import Drawing, Group, parts
from biases_jax.analysis.drawings.numbers import Numbers, missing
from biases_jax.analysis.figures import grids, svg
from biases_jax.corruptions import names, summary
from biases_jax.types import Float, Value

TEXT = (
    "Accuracy on images that weather, cameras and files have spoilt, from the mildest"
    " severity to the strongest. The published accuracies are of the published files;"
    " images made here are of the same kinds, but of other random draws."
)
FAMILIES = {  # what they show, and whose figures there are to compare with
    "imagenet_c": ("the published files of ImageNet-C", "imagenet_c"),
    "imagenet_c_jax": ("ImageNet-C's corruptions, made here", "imagenet_c"),
    "imagenet_c_tfds": ("TFDS' version of ImageNet-C", ""),
    "imagenet_cbar": ("the published files of ImageNet-C-bar", "imagenet_cbar"),
    "imagenet_cbar_jax": ("ImageNet-C-bar's corruptions, made here", "imagenet_cbar"),
}
BLANK = " Blank: not measured."
Grids = Mapping[str, Float[np.ndarray, "corruptions severities"]]


def group(numbers: Numbers) -> Group | None:
    """Return for each family a figure of accuracies, and one of what others published.

    For images made here also one of the gaps to the published files. Of up to twelve
    models each.
    """
    drawings = [drawing for family in FAMILIES for drawing in _family(numbers, family)]
    return Group("Corruptions", TEXT, drawings) if drawings else None


def _family(numbers: Numbers, family: str) -> Iterator[Drawing]:
    shown, theirs = FAMILIES[family]
    rows = names.IMAGENET_CBAR if "cbar" in family else names.NINETEEN
    accuracies = _measured(
        {model: _accuracies(numbers, model, family, rows) for model in numbers.models}
    )
    caption = f"Top-1 accuracy on {shown}.{_not_drawn(numbers, accuracies, family)}"
    yield from _figures(
        *(f"grid_{family}", caption + BLANK, accuracies, rows, grids.ACCURACY)
    )
    differences = _measured(
        {m: found - _published(m, theirs, rows) for m, found in accuracies.items()}
    )
    if differences:
        caption = f"Accuracy on {shown} less the published one, in percentage points."
        scale = grids.difference(list(differences.values()))
        yield from _figures(
            *(f"difference_{family}", caption + BLANK, differences, rows, scale)
        )
    if theirs not in ("", family):
        files, _ = FAMILIES[theirs]
        yield from corruption_gaps.drawings(numbers, family, rows, shown, files)


def _measured(found: Grids) -> Grids:
    return {model: grid for model, grid in found.items() if not np.isnan(grid).all()}


def _not_drawn(numbers: Numbers, found: Grids, family: str) -> str:
    absent = Value(math.nan, reason=f"not measured: {family}")
    return missing((model, absent) for model in numbers.models if model not in found)


def _accuracies(
    numbers: Numbers, model: str, family: str, rows: Sequence[str]
) -> Float[np.ndarray, "corruptions severities"]:
    cells = [summary.row(family, corruption) for corruption in rows]
    return np.array(
        [[numbers.get(model, f"{cell}/top1").value for cell in row] for row in cells]
    )


def _published(
    model: str, family: str, rows: Sequence[str]
) -> Float[np.ndarray, "corruptions severities"]:
    figures = published.figures(model)
    cells = [summary.row(family, corruption) for corruption in rows]
    return np.array(
        [
            [figures[cell].percent if cell in figures else math.nan for cell in row]
            for row in cells
        ]
    )


def _figures(
    name: str, caption: str, found: Grids, rows: Sequence[str], scale: grids.Scale
) -> Iterator[Drawing]:
    severities = [str(severity) for severity in names.SEVERITIES]
    for part, models in parts(name, list(found)):
        panels = [grids.Grid(model, found[model]) for model in models]
        figure = grids.heat_maps(panels, rows, severities, scale)
        yield Drawing(part, caption, svg.text(figure))
