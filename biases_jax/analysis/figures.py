"""What do the numbers look like? Data in, a figure out; nothing is read here."""

import io
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from biases_jax.types import Value

# Okabe & Ito's colours, told apart by colour-blind readers and on both themes.
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c6d31",
    "#7f7f7f",
)
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P")
INK = "#010203"  # stands for the reader's own text colour in an inlined SVG
STYLE = {
    "svg.hashsalt": "biases_jax",  # ids from content alone: equal data, equal bytes
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


class Curve(NamedTuple):
    """One model's values over a parameter; NaN values leave a gap."""

    model: str
    x: Sequence[float]
    values: Sequence[Value]


def band_pass(low_pass: Sequence[Curve], high_pass: Sequence[Curve]) -> Figure:
    """Return both filters' curves: kept fraction against ratio of clean accuracy."""
    names = dict.fromkeys(curve.model for curve in (*low_pass, *high_pass))
    with matplotlib.rc_context(STYLE):
        legend_rows = -(-len(names) // 3)
        figure = Figure(figsize=(8, 3.2 + 0.2 * legend_rows), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        panels = (
            (low_pass, "Low-pass", "lowest"),
            (high_pass, "High-pass", "highest"),
        )
        for axis, (curves, title, kept) in zip(axes, panels, strict=True):
            for curve in curves:
                _line(axis, curve, list(names).index(curve.model))
            axis.set_title(title)
            axis.set_xlabel(f"cut-off: {kept} frequencies kept (fraction)")
            axis.set_xlim(0, 1)
            axis.set_ylim(bottom=0)
        axes[0].set_ylabel("ratio of clean accuracy")
        # One handle per model, from whichever panel has it.
        handles = {}
        for axis in axes:
            handles |= dict(zip(*axis.get_legend_handles_labels()[::-1], strict=True))
        if handles:
            figure.legend(
                handles.values(), handles.keys(), loc="outside lower center", ncols=3
            )
    return figure


def bars(values: Sequence[tuple[str, Value]], label: str) -> Figure:
    """Return horizontal bars with intervals, one per name, in the order given."""
    with matplotlib.rc_context(STYLE):
        height = 0.9 + 0.28 * len(values)
        figure = Figure(figsize=(8, height), layout="constrained")
        axis = figure.subplots()
        y = range(len(values))
        lengths = [value.value for _, value in values]
        axis.barh(y, lengths, 0.6, color=COLOURS[0], alpha=0.75)
        below = [value.value - value.low for _, value in values]
        above = [value.high - value.value for _, value in values]
        axis.errorbar(lengths, y, xerr=[below, above], fmt="none", ecolor=INK)
        axis.set_yticks(y, [name for name, _ in values])
        axis.set_xlim(left=0)
        axis.set_xlabel(label)
        axis.invert_yaxis()
    return figure


def deviations(
    lines: Mapping[str, Mapping[str, float]], bounds: Mapping[str, float], label: str
) -> Figure:
    """Return a line per name over the stages of `bounds`, which are drawn dashed.

    Values are positive, on a logarithmic axis; what is missing or 0 leaves a gap.
    """
    with matplotlib.rc_context(STYLE):
        legend_rows = -(-(len(lines) + 1) // 3)
        figure = Figure(figsize=(8, 3.4 + 0.2 * legend_rows), layout="constrained")
        axis = figure.subplots()
        x = range(len(bounds))
        for index, (name, line) in enumerate(lines.items()):
            values = [line.get(stage, 0) or math.nan for stage in bounds]
            axis.plot(x, values, label=name, **_look(index))
        limits = [
            bound if math.isfinite(bound) else math.nan for bound in bounds.values()
        ]
        axis.plot(x, limits, color=INK, linestyle=(0, (2, 2)), label="bound")
        axis.set_yscale("log")
        axis.set_xticks(x, bounds, rotation=90)
        axis.set_ylabel(label)
        figure.legend(loc="outside lower center", ncols=3)
    return figure


def svg(figure: Figure) -> str:
    """Return a figure as a self-contained SVG file, the same for the same data."""
    with matplotlib.rc_context(STYLE):
        buffer = io.BytesIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        FigureCanvasSVG(figure).print_svg(buffer, metadata=nothing)
    text = buffer.getvalue().decode()
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def inline(drawing: str, name: str, title: str) -> str:
    """Return an SVG file as an element for a page.

    Its ids are made the page's own by `name`, its ink is the page's text colour, its
    width the reader's; `title` is what a screen reader says (escaped already).
    """
    element = drawing[drawing.index("<svg") :]
    element = re.sub(r'\bid="', f'id="{name}-', element)
    element = element.replace("url(#", f"url(#{name}-")
    element = element.replace('xlink:href="#', f'xlink:href="#{name}-')
    element = element.replace(INK, "currentColor")
    element = re.sub(r' (width|height)="[\d.]+pt"', "", element, count=2)
    opening, rest = element.split(">", 1)
    return f'{opening} role="img"><title>{title}</title>{rest}'


def _line(axis, curve: Curve, index: int) -> None:
    look = _look(index)
    values = [value.value for value in curve.values]
    axis.plot(curve.x, values, label=curve.model, **look)
    low = [value.low for value in curve.values]
    high = [value.high for value in curve.values]
    axis.fill_between(curve.x, low, high, color=look["color"], alpha=0.18, linewidth=0)


def _look(index: int) -> dict[str, Any]:
    """Return how the line of the index-th model is told from all others."""
    turn = index // len(COLOURS)
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[turn % len(DASHES)],
        "marker": MARKERS[turn % len(MARKERS)],
        "markersize": 3,
        "linewidth": 1.2,
    }
