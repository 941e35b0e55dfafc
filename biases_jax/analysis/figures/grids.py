"""How do many models do on a grid of corruptions and severities? Heat maps."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import matplotlib
import numpy as np
from jaxtyping import Bool, Float
from matplotlib import colors
from matplotlib.figure import Figure

from biases_jax.analysis.figures import style

COLUMNS = 4  # panels in a row
ROW, HEADING = 0.13, 0.55  # inches: of a corruption, of a panel's title and ticks
TITLE = 26  # letters in a line of it
DOT = {  # to be seen on all shades, which are the same on both themes
    "linestyle": "",
    "marker": "o",
    "markersize": 2.6,
    "markerfacecolor": "black",
    "markeredgecolor": "white",
    "markeredgewidth": 0.5,
}


class Grid(NamedTuple):
    """The numbers of one model, under a title; NaN leaves a gap.

    A dot is drawn on those that are `marked`.
    """

    title: str
    values: Float[np.ndarray, "rows columns"]
    marked: Bool[np.ndarray, "rows columns"] | None = None


class Scale(NamedTuple):
    """What shades mean: their name, the least and the largest number, the palette."""

    name: str
    least: float
    largest: float
    palette: str


ACCURACY = Scale("top-1 accuracy, percent", 0.0, 100.0, "cividis")
STEPS = 20  # of shades
RANGE = 2.0  # points, of which the differences' scale is a multiple


def difference(found: Sequence[Float[np.ndarray, "rows columns"]]) -> Scale:
    """Return the scale of differences (points, NaN where there is none).

    All of them are within it, and 0 is in its middle.
    """
    largest = max(float(np.nanmax(np.abs(values))) for values in found)
    largest = RANGE * max(math.ceil(largest / RANGE), 1)
    return Scale("points above the published", -largest, largest, "PuOr")


def heat_maps(
    models: Sequence[Grid], rows: Sequence[str], columns: Sequence[str], scale: Scale
) -> Figure:
    """Return one heat map for each model, on one scale."""
    palette = matplotlib.colormaps[scale.palette]
    edges = np.linspace(scale.least, scale.largest, STEPS + 1)
    norm = colors.BoundaryNorm(edges, palette.N, clip=True)
    with style.settings():
        figure, axes = style.panels(
            *(len(models), COLUMNS, HEADING + ROW * len(rows), ()),
            sharex=True,
            sharey=True,
        )
        for axis, model in zip(axes, models, strict=True):
            mesh = axis.pcolormesh(
                np.ma.masked_invalid(model.values), cmap=palette, norm=norm
            )
            if model.marked is not None:
                down, right = np.nonzero(model.marked)
                axis.plot(right + 0.5, down + 0.5, **DOT)
            axis.set_yticks(np.arange(len(rows)) + 0.5, rows)
            axis.set_xticks(np.arange(len(columns)) + 0.5, columns)
            axis.tick_params(labelsize=6, length=2)
            axis.set_title(style.wrapped(model.title, TITLE), fontsize=7)
        axes[0].invert_yaxis()  # shared by all
        for axis in axes[-COLUMNS:]:
            axis.tick_params(labelbottom=True)  # also where a row is not full
            axis.set_xlabel("severity", fontsize=7)
        bar = figure.colorbar(mesh, ax=axes, aspect=30, pad=0.02, ticks=edges[::5])
        bar.set_label(scale.name, fontsize=7)
        bar.ax.tick_params(labelsize=6)
        bar.outline.set_visible(False)
    return figure
