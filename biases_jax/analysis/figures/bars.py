"""How large is one number of each model?"""

from collections.abc import Sequence

from matplotlib.figure import Figure

from biases_jax.analysis.figures import style
from biases_jax.types import Value


def bars(values: Sequence[tuple[str, Value]], label: str) -> Figure:
    """Return horizontal bars with intervals, one per name, in the order given."""
    with style.settings():
        height, letters = style.rows(len(values))
        figure = style.blank(0.9 + height * len(values))
        axis = figure.subplots()
        y = range(len(values))
        lengths = [value.value for _, value in values]
        axis.barh(y, lengths, 0.6, color=style.COLOURS[0], alpha=0.75)
        below = [value.value - value.low for _, value in values]
        above = [value.high - value.value for _, value in values]
        axis.errorbar(lengths, y, xerr=[below, above], fmt="none", ecolor=style.INK)
        axis.set_yticks(y, [name for name, _ in values], fontsize=letters)
        axis.set_ylim(len(values) - 0.4, -0.6)  # the first on top, no empty margin
        axis.set_xlim(left=0)
        axis.set_xlabel(label)
    return figure
