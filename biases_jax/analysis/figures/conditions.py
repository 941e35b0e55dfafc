"""How does accuracy fall as images get harder, for models and for people?"""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biases_jax.analysis.figures import curves, style

COLUMNS = 3  # panels in a row
HEIGHT = 1.9


class Panel(NamedTuple):
    """One set of images: its conditions in order, and the accuracies on them.

    `label` says what the conditions are, with their unit, '' where they do themselves.
    Curves have the places of the conditions as their x and percent as values, as has
    `human`; `excluded` are the conditions that are no part of the mean.
    """

    title: str
    label: str
    conditions: Sequence[str]
    excluded: Sequence[str]
    curves: Sequence[curves.Curve]
    human: Sequence[float]


def conditions(panels: Sequence[Panel], chance: float) -> Figure:
    """Return accuracy over the conditions of each set; `chance` in percent."""
    names = sorted({curve.model for panel in panels for curve in panel.curves})
    bands = curves.has_bands(len(names))
    with style.settings():
        entries = [*names, style.HUMANS, "chance"]
        figure, axes = style.panels(len(panels), COLUMNS, HEIGHT, entries, sharey=True)
        for axis, panel in zip(axes, panels, strict=True):
            _panel(axis, panel, chance, bands)
        for axis in axes[::COLUMNS]:
            axis.set_ylabel("accuracy (%)")
        style.legend(figure, entries)
    return figure


def _panel(axis: Axes, panel: Panel, chance: float, bands: bool) -> None:
    for curve in panel.curves:
        curves.line(axis, curve, bands)
    x = range(len(panel.conditions))
    axis.plot(x, panel.human, label=style.HUMANS, **style.human_look())
    axis.axhline(chance, color=style.INK, linewidth=0.8, linestyle=":", label="chance")
    labels = [f"({c})" if c in panel.excluded else c for c in panel.conditions]
    axis.set_xticks(x, labels, rotation=90)
    axis.tick_params(labelsize=7)
    axis.set_xlabel(panel.label, fontsize=7)
    axis.set_title(panel.title)
    axis.set_ylim(0, 102)
