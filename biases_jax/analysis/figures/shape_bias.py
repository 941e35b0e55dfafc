"""Do models see shapes or textures, category by category?"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from biases_jax.analysis.figures import style

SIZE = 5  # of a model's marker


class Shares(NamedTuple):
    """How many of one model's decisions are for the shape, as fractions.

    `overall` is of all decisions, `categories` of those for images of one shape. NaN
    is not drawn. `index` is the model's among all of the study.
    """

    model: str
    index: int
    overall: float
    categories: Mapping[str, float]


def categories(
    models: Sequence[Shares],
    names: Sequence[str],
    people: Sequence[Shares],
    cues: tuple[str, str],
) -> Figure:
    """Return a row per category, a marker per model, a line at each model's overall.

    `cues` are those that the share is of, and of its rest ('shape', 'texture').
    """
    with style.settings():
        figure = style.blank(
            0.9 + 0.3 * len(names), [m.model for m in (*models, *people)]
        )
        axis = figure.subplots()
        for model in models:
            _markers(axis, names, model, _look(model.index))
        for person in people:
            look = {**style.human_look(), "markersize": SIZE + 1}
            _markers(axis, names, person, look)
        axis.set_yticks(range(len(names)), names)
        axis.set_ylim(len(names) - 0.4, -0.6)
        axis.set_xlim(-0.02, 1.02)
        axis.grid(axis="y", color=style.INK, alpha=0.15, linewidth=0.6)
        axis.set_axisbelow(True)
        axis.set_xlabel(f"fraction of decisions for the {cues[0]}")
        above = axis.secondary_xaxis("top", functions=(_rest, _rest))
        above.set_xlabel(f"fraction of decisions for the {cues[1]}")
        style.legend(figure)
    return figure


def boxes(models: Sequence[tuple[str, Sequence[float]]], label: str) -> Figure:
    """Return a box per name over its numbers, in the order given; humans in red."""
    with style.settings():
        height, letters = style.rows(len(models))
        figure = style.blank(0.9 + height * len(models))
        axis = figure.subplots()
        drawn = axis.boxplot(
            [list(numbers) for _, numbers in models],
            orientation="horizontal",
            positions=range(len(models)),
            widths=0.6,
            patch_artist=True,
            manage_ticks=False,
            flierprops={"markersize": 3, "markeredgecolor": style.INK},
            medianprops={"color": style.INK, "linewidth": 1.4},
            whiskerprops={"color": style.INK},
            capprops={"color": style.INK},
        )
        for (name, _), box in zip(models, drawn["boxes"], strict=True):
            human = name == style.HUMANS
            box.set(facecolor=style.HUMAN if human else style.COLOURS[0], alpha=0.6)
            box.set_edgecolor(style.INK)
        names = [name for name, _ in models]
        axis.set_yticks(range(len(models)), names, fontsize=letters)
        axis.set_ylim(len(models) - 0.4, -0.6)
        axis.set_xlim(-0.02, 1.02)
        axis.set_xlabel(label)
    return figure


def _markers(axis, names: Sequence[str], model: Shares, look: Mapping) -> None:
    x = [model.categories.get(name, float("nan")) for name in names]
    only_markers = {**look, "linestyle": "none"}
    axis.plot(x, range(len(names)), label=model.model, **only_markers)
    axis.axvline(
        model.overall,
        color=look["color"],
        linestyle=look["linestyle"],
        linewidth=look["linewidth"],
        alpha=0.8,
    )


def _look(index: int) -> dict:
    return {**style.look(index), "markersize": SIZE}


def _rest(fraction):
    return 1 - fraction
