"""Which figures show the spatial frequencies that models need?"""

import math
import re

from biases_jax.analysis.drawings.drawing import Drawing, Group
from biases_jax.analysis.drawings.numbers import Numbers, missing
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


def group(numbers: Numbers) -> Group | None:
    """Return a figure for each kind of filters, None where nothing was filtered."""
    drawings = [_drawing(numbers, suffix) for suffix in VARIANTS]
    found = [drawing for drawing in drawings if drawing]
    return Group("Spatial frequencies", TEXT, found) if found else None


def _drawing(numbers: Numbers, suffix: str) -> Drawing | None:
    values = {
        kind: _values(numbers, f"{kind}_pass{suffix}") for kind in ("low", "high")
    }
    drawn = [_curves(numbers, found) for found in values.values()]
    models = {curve.model for found in drawn for curve in found}
    if not models:
        return None
    caption = (
        "Top-1 accuracy on low- and high-pass filtered images, as a ratio of the"
        f" clean accuracy. {VARIANTS[suffix]}"
    )
    if curves.has_bands(len(models)):
        caption += " Bands: 95 % intervals over the images."
    gaps = [
        (model, value)
        for found in values.values()
        for model, ratios in found.items()
        for value in ratios.values()
    ]
    figure = curves.band_pass(*drawn)
    return Drawing(f"band_pass{suffix}", caption + missing(gaps), svg.text(figure))


def _values(numbers: Numbers, filters: str) -> dict[str, dict[float, Value]]:
    """Return the ratios of all models by cut-off."""
    pattern = re.compile(rf"spectral/{filters}/([\d.]+)/ratio")
    names = {float(match[1]): match[0] for match in numbers.matches(pattern)}
    return {
        model: {cutoff: numbers.get(model, names[cutoff]) for cutoff in sorted(names)}
        for model in numbers.models
    }


def _curves(
    numbers: Numbers, values: dict[str, dict[float, Value]]
) -> list[curves.Curve]:
    return [
        curves.Curve(model, numbers.models.index(model), list(found), [*found.values()])
        for model, found in values.items()
        if not all(math.isnan(value.value) for value in found.values())
    ]
