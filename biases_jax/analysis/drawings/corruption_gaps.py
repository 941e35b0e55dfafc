"""Which figures show how far corruptions made here are from the published files?"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from biases_jax import cell_gaps, proportions
from biases_jax.analysis.drawings.drawing import Drawing, parts
from biases_jax.analysis.drawings.numbers import Numbers, missing
from biases_jax.analysis.figures import grids, svg
from biases_jax.corruptions import names, summary
from biases_jax.types import Value

CAPTION = (
    "Accuracy on {made} less that on {files}, in percentage points, of the same images."
    " Dots: 0 is outside of the 95 % interval, paired by image. {verdicts}. The"
    " intervals are in long.csv. Blank: not measured on both sides."
)


def drawings(
    numbers: Numbers, family: str, rows: Sequence[str], made: str, files: str
) -> Iterator[Drawing]:
    """Yield the gaps of models that were measured on both sides, up to twelve each.

    Args:
        numbers: of all models.
        family: of what is made here.
        rows: its corruptions that were published.
        made: what it shows, for the caption.
        files: likewise for the published files.
    """
    found = {model: _gaps(numbers, model, family, rows) for model in numbers.models}
    absent = [m for m, gaps in found.items() if not any(g.compared for g in gaps)]
    grid = {
        model: _grid(model, gaps, len(rows))
        for model, gaps in found.items()
        if model not in absent
    }
    severities = [str(severity) for severity in names.SEVERITIES]
    for name, models in parts(f"gap_{family}", list(grid)):
        told = [f"{model}: {cell_gaps.verdict(found[model])}" for model in models]
        caption = CAPTION.format(made=made, files=files, verdicts="; ".join(told))
        scale = grids.difference([grid[model].values for model in grid])
        panels = [grid[model] for model in models]
        figure = grids.heat_maps(panels, rows, severities, scale)
        lacking = missing((model, _absent(found[model])) for model in absent)
        yield Drawing(name, caption + lacking, svg.text(figure))


def _gaps(
    numbers: Numbers, model: str, family: str, rows: Sequence[str]
) -> list[cell_gaps.Gap]:
    """Return a model's gaps as the table has them, corruption by corruption."""
    cells = [cell for corruption in rows for cell in summary.row(family, corruption)]
    return [
        cell_gaps.Gap(
            cell,
            numbers.get(model, f"{cell}/gap"),
            numbers.get(model, f"{cell}/gap_p").value,
        )
        for cell in cells
    ]


def _absent(gaps: Sequence[cell_gaps.Gap]) -> Value:
    """Return why a model has none of its gaps."""
    told = [gap.value.reason for gap in gaps]
    others = [text for text in told if not text.startswith(proportions.NOT_MEASURED)]
    return Value(math.nan, reason=others[0] if others else "not measured on both sides")


def _grid(model: str, gaps: Sequence[cell_gaps.Gap], rows: int) -> grids.Grid:
    values = np.array([gap.value.value for gap in gaps])
    marked = np.array([gap.excludes_0 for gap in gaps])
    return grids.Grid(model, values.reshape(rows, -1), marked.reshape(rows, -1))
