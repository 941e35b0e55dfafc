"""Which figures compare models with people as images get harder?"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from biases_jax import labels
from biases_jax.analysis.drawings.drawing import Drawing, Group, parts
from biases_jax.analysis.drawings.numbers import Numbers, by_sums, drawable, missing
from biases_jax.analysis.figures import conditions, curves, svg
from biases_jax.humans import reference
from biases_jax.sources.model_vs_human import PREFIX
from biases_jax.types import Value

TEXT = (
    "Accuracy among sixteen categories on images of the sets that people saw, over the"
    " strength of what was done to them: the farther right a curve falls, the more"
    " robust."
)
CONDITION = re.compile(r"model_vs_human/([^/]+)/(?:sum/)?(?!sum/)([^/]+)/top1")
CHANCE = 100 / len(labels.CATEGORIES)
CAPTION = (
    "Accuracy on the sets of model-vs-human that have conditions, the mildest on the"
    " left; those in brackets are no part of the mean over all sets. Red: people"
    " (Geirhos et al. 2021); dotted: chance."
)
# What the published conditions are, with units (Geirhos et al. 2021 and 2018).
AXES = {
    "contrast": "contrast (%)",
    "high-pass": "SD of the Gaussian taken off (pixels)",
    "low-pass": "SD of the Gaussian (pixels)",
    "phase-scrambling": "phase shifts up to (degrees)",
    "rotation": "angle (degrees)",
    "uniform-noise": "half width of the noise (of greys 0 to 1)",
    **dict.fromkeys(("eidolonI", "eidolonII", "eidolonIII"), "reach-coherence-grain"),
}
BANDS = " Bands: 95 % Wilson intervals."
NO_BANDS = " Intervals (95 %, Wilson) are in long.csv."
NONE = Value(math.nan, reason="not measured: model_vs_human/<set>/<condition>")


class Found(NamedTuple):
    """One model's accuracies on one set; `sums`: by sums of probabilities."""

    sums: bool
    values: Sequence[Value]  # of each condition, in percent


Sets = Mapping[str, Sequence[str]]  # conditions in order


def group(numbers: Numbers) -> Group | None:
    """Return curves of up to twelve models a figure, None where there are none."""
    sets = _sets(numbers)
    found = {model: _found(numbers, model, sets) for model in numbers.models}
    drawn = [model for model in found if any(map(drawable, _flat(found[model])))]
    absent = [(model, NONE) for model in found if model not in drawn]
    people = numbers.seen_by_people(PREFIX)
    drawings = []
    for name, models in parts("conditions", drawn):
        shown = {model: found[model] for model in models}
        panels = [_panel(numbers, title, sets[title], shown) for title in sets]
        figure = conditions.conditions(panels, CHANCE)
        caption = CAPTION + people + _caption(shown, absent)
        drawings.append(Drawing(name, caption, svg.text(figure)))
    return Group("Accuracy against condition", TEXT, drawings) if drawn else None


def _sets(numbers: Numbers) -> Sets:
    """Return the sets with several conditions that any model was measured on."""
    there: dict[str, set[str]] = {}
    known = set()
    for match in numbers.matches(CONDITION):
        if match[2] != "sum":
            there.setdefault(match[1], set()).add(match[2])
            values = (numbers.get(model, match[0]) for model in numbers.models)
            known |= {match[1]} if any(map(drawable, values)) else set()
    order = [*(name for name in reference.SETS if name in known), *sorted(known)]
    return {
        name: _ordered(name, there[name])
        for name in dict.fromkeys(order)
        if len(there[name]) > 1
    }


def _ordered(name: str, found: set[str]) -> list[str]:
    published = reference.SETS[name].conditions if name in reference.SETS else ()
    known = [condition for condition in published if condition in found]
    return known + sorted(found - set(known))


def _found(numbers: Numbers, model: str, sets: Sets) -> dict[str, Found]:
    """Return the published read-out's values; those by sums where it has none."""
    found = {}
    for name, order in sets.items():
        plain, sums = (
            [
                numbers.get(model, f"model_vs_human/{name}{end}/{condition}/top1")
                for condition in order
            ]
            for end in ("", "/sum")
        )
        summed = not any(map(drawable, plain)) and any(map(drawable, sums))
        found[name] = Found(summed, sums if summed else plain)
    return found


def _panel(
    numbers: Numbers,
    name: str,
    order: Sequence[str],
    shown: Mapping[str, Mapping[str, Found]],
) -> conditions.Panel:
    drawn = [
        curves.Curve(
            model, numbers.models.index(model), range(len(order)), found[name].values
        )
        for model, found in shown.items()
        if any(map(drawable, found[name].values))
    ]
    people = reference.SETS.get(name)
    return conditions.Panel(
        name,
        AXES.get(name, ""),
        order,
        people.excluded if people else (),
        drawn,
        [100 * _accuracy(people, condition) for condition in order],
    )


def _accuracy(people: reference.ImageSet | None, condition: str) -> float:
    known = people.conditions.get(condition) if people else None
    return known.accuracy if known else math.nan


def _caption(
    shown: Mapping[str, Mapping[str, Found]], absent: Sequence[tuple[str, Value]]
) -> str:
    sums = [m for m in shown if any(found.sums for found in shown[m].values())]
    gaps = [(model, value) for model in shown for value in _flat(shown[model])]
    bands = BANDS if curves.has_bands(len(shown)) else NO_BANDS
    return bands + by_sums(sums) + missing([*gaps, *absent])


def _flat(found: Mapping[str, Found]) -> list[Value]:
    return [value for of_set in found.values() for value in of_set.values]
