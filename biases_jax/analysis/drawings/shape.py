"""Which figures show whether models decide by shape or by texture?"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from biases_jax import labels
from biases_jax.analysis.drawings.drawing import Drawing, Group, parts
from biases_jax.analysis.drawings.numbers import Numbers, by_sums, listed, missing
from biases_jax.analysis.figures import shape_bias, style, svg
from biases_jax.humans import reference
from biases_jax.types import Value

TEXT = (
    "Images with the shape of one category and the texture of another: of the decisions"
    " for either, how many are for the shape? Far to the right are those who see"
    " shapes, as people do; far to the left those who see textures. Other images have"
    " the low frequencies of one category and the high ones of another."
)


class Conflict(NamedTuple):
    """A set of images with two cues, and the names of its numbers."""

    name: str
    cues: tuple[str, str]
    benchmark: str
    overall: str
    people: bool  # whether they saw it too


CONFLICTS = (
    Conflict(
        "shape_bias", ("shape", "texture"), "shape/cue_conflict", "shape/bias", True
    ),
    Conflict(
        "frequency_bias",
        ("low frequencies", "high frequencies"),
        "shape/frequency_cue_conflict",
        "shape/frequency_bias",
        False,
    ),
)
ENDS = ("", "/sum")  # the published read-out, and that by sums of probabilities
PEOPLE = "Red: ten people (Geirhos et al. 2021). "
NO_INTERVALS = "Intervals are in long.csv."


class Found(NamedTuple):
    """What one model decided, in percent; `sums`: by sums of probabilities."""

    sums: bool
    overall: Value
    categories: Mapping[str, Value]


def group(numbers: Numbers) -> Group | None:
    """Return two figures for each set of images, None where none was measured."""
    drawings = [d for conflict in CONFLICTS for d in _drawings(numbers, conflict)]
    return Group("Shape bias", TEXT, drawings) if drawings else None


def _drawings(numbers: Numbers, conflict: Conflict) -> list[Drawing]:
    found = {model: _found(numbers, model, conflict) for model in numbers.models}
    shown = [_shares(numbers, model, found[model]) for model in found]
    shown = [shares for shares in shown if _any(shares)]
    if not shown:
        return []
    absent = [(m, found[m].overall) for m in found if m not in {s.model for s in shown}]
    people = [_people()] if conflict.people else []
    seen = numbers.seen_by_people("cue_conflict") if conflict.people else ""
    drawings = []
    for name, part in parts(conflict.name, shown):
        own = {shares.model: found[shares.model] for shares in part}
        figure = shape_bias.categories(part, labels.CATEGORIES, people, conflict.cues)
        caption = _caption(conflict, own, absent) + seen
        drawings.append(Drawing(name, caption, svg.text(figure)))
    return [*drawings, _boxes(conflict, [*shown, *people], found)]


def _caption(
    conflict: Conflict,
    found: Mapping[str, Found],
    absent: Sequence[tuple[str, Value]],
) -> str:
    gaps = [
        (model, value)
        for model, own in found.items()
        for value in (own.overall, *own.categories.values())
    ]
    return (
        f"Fraction of the decisions for the {conflict.cues[0]}, among those for either"
        f" cue, by the category of the {conflict.cues[0]}. Vertical lines: of all"
        f" categories together. {PEOPLE if conflict.people else ''}{NO_INTERVALS}"
        f"{_said(found)}{missing([*gaps, *absent])}"
    )


def _said(found: Mapping[str, Found]) -> str:
    return by_sums([model for model, own in found.items() if own.sums])


def _found(numbers: Numbers, model: str, conflict: Conflict) -> Found:
    """Return the published read-out's values; those by sums where it has none."""
    plain, sums = (_values(numbers, model, conflict, end) for end in ENDS)
    known = [not math.isnan(value.value) for value in sums.categories.values()]
    return sums if math.isnan(plain.overall.value) and any(known) else plain


def _values(numbers: Numbers, model: str, conflict: Conflict, end: str) -> Found:
    benchmark = conflict.benchmark + end
    overall = conflict.overall + end.replace("/", "_")
    categories = {
        name: numbers.get(model, f"{benchmark}/{name}/bias")
        for name in labels.CATEGORIES
    }
    return Found(bool(end), numbers.get(model, overall), categories)


def _shares(numbers: Numbers, model: str, found: Found) -> shape_bias.Shares:
    categories = {name: v.value / 100 for name, v in found.categories.items()}
    index = numbers.models.index(model)
    return shape_bias.Shares(model, index, found.overall.value / 100, categories)


def _any(shares: shape_bias.Shares) -> bool:
    return not all(map(math.isnan, [shares.overall, *shares.categories.values()]))


def _people() -> shape_bias.Shares:
    found = reference.SHAPE_BIAS
    return shape_bias.Shares(style.HUMANS, 0, found.pooled, found.per_category)


def _boxes(
    conflict: Conflict,
    shown: Sequence[shape_bias.Shares],
    found: Mapping[str, Found],
) -> Drawing:
    known = {
        shares.model: [x for x in shares.categories.values() if not math.isnan(x)]
        for shares in shown
    }
    boxes = sorted(
        (item for item in known.items() if item[1]),
        key=lambda item: (-statistics.median(item[1]), item[0]),
    )
    figure = shape_bias.boxes(
        boxes, f"fraction of decisions for the {conflict.cues[0]}"
    )
    few = [
        f"{m}: {len(x)}" for m, x in known.items() if len(x) < len(labels.CATEGORIES)
    ]
    lack = f" Of fewer categories than all: {listed(few)}." if few else ""
    caption = (
        "The same over the categories: median, quartiles, and the farthest within 1.5"
        " times the box's length; circles are beyond it. Largest median first."
        f"{_said(found)}{lack}"
    )
    return Drawing(f"{conflict.name}_boxes", caption, svg.text(figure))
