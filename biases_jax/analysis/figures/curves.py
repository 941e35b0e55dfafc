"""How does a number change with one parameter?"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biases_jax.analysis.figures import style
from biases_jax.types import Value

BANDS = 6  # models whose intervals can be drawn without hiding the lines


class Curve(NamedTuple):
    """One model's values over a parameter; NaN values leave a gap.

    `index` is the model's among all of the study: what it looks like.
    """

    model: str
    index: int
    x: Sequence[float]
    values: Sequence[Value]


def band_pass(low_pass: Sequence[Curve], high_pass: Sequence[Curve]) -> Figure:
    """Return both filters' curves: kept fraction against ratio of clean accuracy."""
    names = sorted({curve.model for curve in (*low_pass, *high_pass)})
    with style.settings():
        figure, axes = style.panels(2, 2, 2.8, names, sharey=True)
        panels = (
            (low_pass, "Low-pass", "lowest"),
            (high_pass, "High-pass", "highest"),
        )
        for axis, (curves, title, kept) in zip(axes, panels, strict=True):
            for curve in curves:
                line(axis, curve, has_bands(len(names)))
            axis.set_title(title)
            axis.set_xlabel(f"cut-off: {kept} frequencies kept (fraction)")
            axis.set_xlim(0, 1)
            axis.set_ylim(bottom=0)
        axes[0].set_ylabel("ratio of clean accuracy")
        style.legend(figure)
    return figure


def deviations(
    lines: Mapping[str, Mapping[str, float]], bounds: Mapping[str, float], label: str
) -> Figure:
    """Return a line per name over the stages of `bounds`, which are drawn dashed.

    Values are positive, on a logarithmic axis; what is missing or 0 leaves a gap.
    """
    with style.settings():
        figure = style.blank(3.4, [*lines, "bound"])
        axis = figure.subplots()
        x = range(len(bounds))
        for index, (name, found) in enumerate(lines.items()):
            values = [found.get(stage, 0) or math.nan for stage in bounds]
            axis.plot(x, values, label=name, **style.look(index))
        limits = [
            bound if math.isfinite(bound) else math.nan for bound in bounds.values()
        ]
        axis.plot(x, limits, color=style.INK, linestyle=(0, (2, 2)), label="bound")
        axis.set_yscale("log")
        axis.set_xticks(x, bounds, rotation=90)
        axis.set_ylabel(label)
        style.legend(figure)
    return figure


def has_bands(models: int) -> bool:
    """Return whether the intervals of so many models are drawn."""
    return models <= BANDS


def line(axis: Axes, curve: Curve, band: bool) -> None:
    """Draw a model's curve, with a band from low to high where asked for."""
    look = style.look(curve.index)
    values = [value.value for value in curve.values]
    axis.plot(curve.x, values, label=curve.model, **look)
    if band:
        low = [value.low for value in curve.values]
        high = [value.high for value in curve.values]
        colour = look["color"]
        axis.fill_between(curve.x, low, high, color=colour, alpha=0.18, linewidth=0)
