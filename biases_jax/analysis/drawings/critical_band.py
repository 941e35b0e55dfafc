"""Which figures show the octave in which noise hurts?"""

import math
from collections.abc import Iterable, Mapping

import numpy as np
from jaxtyping import Float

from biases_jax.analysis.drawings.drawing import Drawing, Group, parts
from biases_jax.analysis.drawings.numbers import Numbers, drawable, missing
from biases_jax.analysis.figures import critical_band, svg
from biases_jax.humans import reference
from biases_jax.masking import gaussian, thresholds
from biases_jax.types import Value

TEXT = (
    "Noise of one octave is added to grey images of low contrast, at four strengths."
    " Where a model's accuracy falls to half already under weak noise (a high"
    " threshold) are the frequencies that it relies on; a Gaussian over the octaves"
    " gives the centre and the width of that band."
)
STRENGTHS = tuple(f"{sd:g}" for sd in reversed(thresholds.SDS))  # strongest first
OCTAVES = range(len(gaussian.BANDS))
CLEAN = "critical_band/sd0/top1"
FIT = ("bandwidth", "centre_frequency", "peak_noise_sensitivity")
PAPER = "_paper_norm"
NONE = Value(math.nan, reason="not measured: critical_band")
CAPTION = (
    "Shades: top-1 accuracy under noise of one octave and strength (standard deviation"
    " before its octave is cut out, of greys from 0 to 1), as a fraction of the"
    " accuracy without noise, which stands above each panel; more than 1 as 1. Nothing"
    " is drawn, nor by the paper's way, of models that no threshold can be given of, as"
    " of those near chance without noise. Dots: the strength at which half of it is"
    " left, interpolated; hollow where it lies beyond those tested."
    " Crosses: the paper's thresholds of the same fractions, in whole steps: between"
    " the last strength that is borne and the first that is not. Lines: the bands"
    " fitted to each, and that of people (Subramanian et al. 2023:"
    f" {reference.CRITICAL_BAND.bandwidth:.2f} octave wide around"
    f" {reference.CRITICAL_BAND.centre_frequency} cycles/image; its height is"
    " extrapolated). Intervals are in long.csv."
)


def group(numbers: Numbers) -> Group | None:
    """Return heat maps of up to twelve models each, None where there are none."""
    values = {model: _values(numbers, model) for model in numbers.models}
    measured = [model for model in values if any(map(drawable, values[model].values()))]
    absent = [(model, NONE) for model in values if model not in measured]
    drawings = []
    for name, part in parts("critical_band", measured):
        found = {model: values[model] for model in part}
        gaps = [(model, v) for model in found for v in _told(found[model])]
        caption = CAPTION + missing([*gaps, *absent])
        drawings.append(Drawing(name, caption, _svg(found)))
    return Group("Critical band", TEXT, drawings) if drawings else None


def _values(numbers: Numbers, model: str) -> dict[str, Value]:
    """Return all that is drawn of one model, by name."""
    names = [CLEAN]
    names += [_condition(octave, sd) for sd in STRENGTHS for octave in OCTAVES]
    for variant in ("", PAPER):
        names += [f"critical_band/f{octave}/threshold{variant}" for octave in OCTAVES]
        names += [f"critical_band/{metric}{variant}" for metric in FIT]
    return {name: numbers.get(model, name) for name in names}


def _told(values: Mapping[str, Value]) -> list[Value]:
    """Return the numbers whose lack is told: not the paper's where ours lacks, too."""
    return [
        value
        for name, value in values.items()
        if not name.endswith(PAPER) or drawable(values[name.removesuffix(PAPER)])
    ]


def _condition(octave: int, sd: str) -> str:
    return f"critical_band/f{octave}/sd{sd}/top1"


def _svg(found: Mapping[str, Mapping[str, Value]]) -> str:
    models = [_sensitivity(model, values) for model, values in found.items()]
    octaves = [f"{gaussian.LOWEST_LABEL * 2**octave:g}" for octave in OCTAVES]
    human = band(*(getattr(reference.CRITICAL_BAND, metric) for metric in FIT))
    figure = critical_band.critical_bands(models, STRENGTHS, octaves, human)
    return svg.text(figure)


def _sensitivity(model: str, values: Mapping[str, Value]) -> critical_band.Sensitivity:
    def numbers(names: Iterable[str]) -> Float[np.ndarray, " n"]:
        return np.array([values[name].value for name in names])

    def threshold(variant: str) -> Float[np.ndarray, " n"]:
        return numbers(f"critical_band/f{f}/threshold{variant}" for f in OCTAVES)

    def fit(variant: str) -> critical_band.Band:
        return band(*numbers(f"critical_band/{metric}{variant}" for metric in FIT))

    cells = [numbers(_condition(f, sd) for f in OCTAVES) for sd in STRENGTHS]
    ours, papers, papers_fit = threshold(""), threshold(PAPER), fit(PAPER)
    if np.isnan(ours).all():  # fractions of next to nothing would look like robustness
        cells, papers = np.full_like(cells, math.nan), np.full_like(papers, math.nan)
        papers_fit = critical_band.Band(math.nan, math.nan, math.nan)
    return critical_band.Sensitivity(
        model=model,
        clean=values[CLEAN].value,
        accuracy=np.stack(cells),
        thresholds=ours,
        censored=(ours <= thresholds.LOWEST) | (ours >= thresholds.HIGHEST),
        band=fit(""),
        paper_thresholds=papers,
        paper_band=papers_fit,
    )


def band(bandwidth: float, centre_frequency: float, peak: float) -> critical_band.Band:
    """Return the Gaussian of a width (octaves), centre (cycles/image) and peak."""
    return critical_band.Band(
        centre=float(np.log2(centre_frequency / gaussian.LOWEST_LABEL)),
        deviation=bandwidth / gaussian.FWHM,
        height=gaussian.PEAK + float(np.log2(peak)),
    )
