"""Which figures show the spatial frequencies that models need?"""

import re
from collections.abc import Sequence

from biases_jax.analysis.drawings.drawing import Drawing, Group, parts
from biases_jax.analysis.drawings.numbers import Numbers, drawable, missing
from biases_jax.analysis.figures import curves, svg
from biases_jax.types import Value

TEXT = (
    "How much of the accuracy on clean images is left when only the lowest or only the"
    " highest spatial frequencies are kept. A curve that rises early on the left is of"
    " a model that low frequencies suffice for; on the right, high ones."
)
VARIANTS = {
    "": "The paper's filters.",
    "_clean": "Clean filters: a circular band, and the mean brightness kept.",
}
BANDS = " Bands: 95 % intervals over the images."
NO_BANDS = " Intervals are in long.csv."


def group(numbers: Numbers) -> Group | None:
    """Return figures for each kind of filters, of up to twelve models each."""
    drawings = [d for suffix in VARIANTS for d in _drawings(numbers, suffix)]
    return Group("Spatial frequencies", TEXT, drawings) if drawings else None


def _drawings(numbers: Numbers, suffix: str) -> list[Drawing]:
    values = {
        kind: _values(numbers, f"{kind}_pass{suffix}") for kind in ("low", "high")
    }
    measured = [
        model
        for model in numbers.models
        if any(any(map(drawable, found[model].values())) for found in values.values())
    ]
    absent = [model for model in numbers.models if model not in measured]
    drawings = []
    for name, models in parts(f"band_pass{suffix}", measured):
        lines = [_curves(numbers, found, models) for found in values.values()]
        caption = (
            "Top-1 accuracy on low- and high-pass filtered images, as a ratio of the"
            f" clean accuracy. {VARIANTS[suffix]}"
        )
        caption += BANDS if curves.has_bands(len(models)) else NO_BANDS
        caption += _unmeasured(numbers, values, suffix)
        gaps = [
            (model, value)
            for found in values.values()
            for model in sorted([*models, *absent])
            for value in found[model].values()
        ]
        drawing = svg.text(curves.band_pass(*lines))
        drawings.append(Drawing(name, caption + missing(gaps), drawing))
    return drawings


def _values(numbers: Numbers, filters: str) -> dict[str, dict[float, Value]]:
    """Return the ratios of all models by cut-off, of those that any model has."""
    names = _names(numbers, filters)
    found = {
        cutoff: {model: numbers.get(model, name) for model in numbers.models}
        for cutoff, name in names.items()
    }
    known = [
        cutoff
        for cutoff, ratios in found.items()
        if any(map(drawable, ratios.values()))
    ]
    return {m: {cutoff: found[cutoff][m] for cutoff in known} for m in numbers.models}


def _names(numbers: Numbers, filters: str) -> dict[float, str]:
    """Return what the ratios are called, by cut-off."""
    pattern = re.compile(rf"spectral/{filters}/([\d.]+)/ratio")
    names = {float(match[1]): match[0] for match in numbers.matches(pattern)}
    return dict(sorted(names.items()))


def _unmeasured(
    numbers: Numbers, values: dict[str, dict[str, dict[float, Value]]], suffix: str
) -> str:
    """Return at which cut-offs no model has a ratio, to be added to a caption."""
    told = []
    for kind, found in values.items():
        known = found[numbers.models[0]]
        names = _names(numbers, f"{kind}_pass{suffix}")
        absent = [f"{cutoff:g}" for cutoff in names if cutoff not in known]
        told += [f"{kind}-pass at {', '.join(absent)}"] if absent else []
    return f" No model has a number for {'; '.join(told)}." if told else ""


def _curves(
    numbers: Numbers, values: dict[str, dict[float, Value]], models: Sequence[str]
) -> list[curves.Curve]:
    return [
        curves.Curve(model, numbers.models.index(model), list(found), [*found.values()])
        for model, found in values.items()
        if model in models and any(map(drawable, found.values()))
    ]
