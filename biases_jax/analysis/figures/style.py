"""How do all figures look alike, and models differ?"""

import contextlib
import re
from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
HUMAN = "#d0103a"  # people are red circles, as in model-vs-human's figures
HUMANS = "humans"
INK = "#010203"  # stands for the reader's own text colour in an inlined SVG
PAPER = "#fdfefc"  # stands for what is behind the figure
SETTINGS = {
    "svg.hashsalt": "biases_jax",  # ids from content alone: equal data, equal bytes
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
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
WIDTH = 8  # of every figure, in inches
LEGENDS = ((3, 9), (3, 8), (3, 7), (2, 7))  # columns and size of letters, best first
LETTER = 0.62  # mean width of one, of its size
HANDLE = 6  # width of a handle and its gaps, of the size of letters
POINTS = 72  # in an inch
ROWS = 16  # beyond which they are narrow


def settings() -> contextlib.AbstractContextManager:
    """Return the context in which figures are made and written."""
    return matplotlib.rc_context(SETTINGS)


def look(index: int) -> dict[str, Any]:
    """Return how the line of the index-th model is told from all others."""
    turn, hue = divmod(index, len(COLOURS))
    return {
        "color": COLOURS[hue],
        "linestyle": DASHES[turn % len(DASHES)],
        # Not by the turn alone: the first eight are told apart without colours, too.
        "marker": MARKERS[(hue + turn) % len(MARKERS)],
        "markersize": 3,
        "linewidth": 1.2,
    }


def human_look() -> dict[str, Any]:
    """Return how the line of people is told from those of models."""
    return {
        "color": HUMAN,
        "linestyle": "-",
        "marker": "o",
        "markersize": 4,
        "linewidth": 1.6,
        "zorder": 3,
    }


def rows(count: int) -> tuple[float, float]:
    """Return the height of a row, in inches, and the size of letters of so many."""
    return (0.28, 9.0) if count <= ROWS else (0.17, 7.0)


def blank(height: float, names: Sequence[str] = ()) -> Figure:
    """Return an empty figure of this height, with room for a legend of the names."""
    columns, size = _legend(names)
    rows = -(-len(names) // columns)
    size = (WIDTH, height + 1.7 * size * rows / POINTS)
    return Figure(figsize=size, layout="constrained")


def panels(
    count: int, columns: int, height: float, names: Sequence[str], **shared: bool
) -> tuple[Figure, list[Axes]]:
    """Return a figure of small multiples, so many in a row, each of this height."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure = blank(0.4 + height * rows, names)
    grid = figure.subplots(rows, columns, squeeze=False, **shared)
    for axes in np.ravel(grid)[count:]:
        axes.remove()
    return figure, list(np.ravel(grid)[:count])


def legend(figure: Figure, order: Sequence[str] = ()) -> None:
    """Write one handle per label, from whichever panel has it, below all panels.

    The labels of `order` come first, as far as they are there.
    """
    there: dict[str, Artist] = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            there.setdefault(label, handle)
    found = {label: there[label] for label in order if label in there} | there
    if found:
        columns, size = _legend(list(found))
        place = "outside lower center"
        figure.legend(
            found.values(), found.keys(), loc=place, ncols=columns, fontsize=size
        )


def wrapped(name: str, width: int) -> str:
    """Return a name in lines of about so many letters, broken after punctuation.

    Numbers such as 0.5 are kept whole.
    """
    lines = [""]
    for part in re.split(r"(?<=[_/-])(?![_./-])|(?<=\.)(?![_./\d-])", name):
        if len(lines[-1] + part) > width and lines[-1]:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _legend(names: Sequence[str]) -> tuple[int, int]:
    """Return the columns and the size of letters with which the names fit."""
    for columns, size in LEGENDS:
        filled = np.array_split(list(names), columns)  # as matplotlib fills them
        longest = [max(map(len, column)) for column in filled if len(column)]
        width = sum((HANDLE + LETTER * letters) * size for letters in longest)
        if width <= WIDTH * POINTS:
            break
    return columns, size
