"""Where in frequency, and how much, does noise hurt? The critical band of models."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import matplotlib
import numpy as np
from jaxtyping import Bool, Float
from matplotlib import colors
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from biases_jax.analysis.figures import style

COLUMNS = 4  # panels in a row
HEIGHT = 1.9
TITLE = 26  # letters in a line of it
LABELS = (
    "threshold",
    "threshold beyond this",
    "the paper's threshold",
    "fitted band",
    "the paper's fitted band",
    f"band of {style.HUMANS}",
)
# Shades change at every tenth; half, where the thresholds are, parts two hues.
SHADES = np.linspace(0, 1, 11)
PALETTE = matplotlib.colormaps["PuOr"](np.linspace(0.2, 0.8, len(SHADES) - 1))
LINE = "#000000"  # seen on all shades, which are light on both themes


class Band(NamedTuple):
    """A Gaussian over octaves: `height` in steps of the noise, 0 to 4.

    `centre` and `deviation` are in octaves above the lowest band. NaN where there is
    no fit.
    """

    centre: float
    deviation: float
    height: float

    def at(self, octaves: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Return the sensitivity there, in steps of the noise."""
        from_centre = (octaves - self.centre) / self.deviation
        return self.height * np.exp(-(from_centre**2) / 2)


class Sensitivity(NamedTuple):
    """What noise of each strength and octave does to one model.

    `accuracy` is in percent, one row for each strength of the noise, strongest first;
    `clean` without noise. Thresholds are octaves of noise that are too strong, one for
    each octave of frequencies: 0 is none of what is tested; `censored` tells which lie
    farther out than they say. NaN leaves a gap.
    """

    model: str
    clean: float
    accuracy: Float[np.ndarray, "strengths octaves"]
    thresholds: Float[np.ndarray, " octaves"]
    censored: Bool[np.ndarray, " octaves"]
    band: Band
    paper_thresholds: Float[np.ndarray, " octaves"]
    paper_band: Band


def critical_bands(
    models: Sequence[Sensitivity],
    strengths: Sequence[str],
    octaves: Sequence[str],
    human: Band,
) -> Figure:
    """Return a heat map per model with thresholds, fitted bands and that of people."""
    with style.settings():
        figure, axes = style.panels(
            len(models), COLUMNS, HEIGHT, LABELS, sharex=True, sharey=True
        )
        for axis, model in zip(axes, models, strict=True):
            mesh = _cells(axis, model)
            _lines(axis, model, human)
            axis.set_xticks(range(len(octaves)), octaves, rotation=90)
            axis.set_yticks(np.arange(len(strengths)) + 0.5, strengths)
            axis.tick_params(labelsize=7)
            axis.set_title(_title(model), fontsize=7)
        for axis in axes[::COLUMNS]:
            axis.set_ylabel("SD of the noise", fontsize=8)
        for axis in axes[-COLUMNS:]:
            axis.tick_params(labelbottom=True)  # also where a row is not full
            axis.set_xlabel("its octave (cycles/image)", fontsize=8)
        bar = figure.colorbar(mesh, ax=axes, ticks=SHADES[::2], aspect=30, pad=0.02)
        bar.set_label("of noise-free accuracy", fontsize=8)
        bar.ax.tick_params(labelsize=7)
        bar.outline.set_visible(False)
        style.legend(figure)
    return figure


def _title(model: Sensitivity) -> str:
    clean = "unknown" if math.isnan(model.clean) else f"{model.clean:.1f} %"
    return f"{style.wrapped(model.model, TITLE)}\nnoise-free {clean}"


def _cells(axis: Axes, model: Sensitivity) -> Any:
    rows, columns = model.accuracy.shape
    shares = (
        model.accuracy / model.clean if model.clean > 0 else model.accuracy * np.nan
    )
    return axis.pcolormesh(
        np.arange(columns + 1) - 0.5,
        np.arange(rows + 1),
        np.ma.masked_invalid(shares),
        cmap=colors.ListedColormap(PALETTE),
        norm=colors.BoundaryNorm(SHADES, len(PALETTE), clip=True),
    )


def _lines(axis: Axes, model: Sensitivity, human: Band) -> None:
    rows, columns = model.accuracy.shape
    x, dense = np.arange(columns), np.linspace(-0.5, columns - 0.5, 57)
    dots = {"color": LINE, "markersize": 4, "linestyle": "none"}
    crosses = {**dots, "marker": "x", "markeredgewidth": 0.7}
    line = {"color": LINE, "linewidth": 1.4}
    dashed = {"linestyle": (0, (4, 2))}
    beyond = np.where(model.censored, model.thresholds, math.nan)
    within = np.where(model.censored, math.nan, model.thresholds)
    drawn = (
        (x, within, {**dots, "marker": "o"}),
        (x, beyond, {**dots, "marker": "D", "markerfacecolor": "none"}),
        (x, model.paper_thresholds, crosses),
        (dense, model.band.at(dense), line),
        (dense, model.paper_band.at(dense), {**line, **dashed, "linewidth": 0.7}),
        (dense, human.at(dense), {**line, **dashed, "color": style.HUMAN}),
    )
    for label, (places, steps, look) in zip(LABELS, drawn, strict=True):
        axis.plot(places, steps, label=label, **look)
    axis.set_xlim(-0.5, columns - 0.5)
    axis.set_ylim(-0.15, rows + 0.55)
