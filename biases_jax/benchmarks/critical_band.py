"""Which octave of noise keeps a model from recognising? (Subramanian et al. 2023)

Grey images of low contrast behind noise of seven octave bands and four strengths. Of
each band it is asked how much noise is borne, and of all, which octaves hurt most and
how wide they lie: the critical band. Known defects of the stimuli, which are the
paper's (Gavrikov & Keuper 2024), are listed in `masking.stimulus`.
"""

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from biases_jax import proportions
from biases_jax.benchmark import Benchmark
from biases_jax.masking import bootstrap, censored, gaussian, grid, thresholds
from biases_jax.masking.bootstrap import Interval
from biases_jax.masking.grid import Grid, Resamples
from biases_jax.masking.stimulus import BANDS, BandNoise
from biases_jax.types import Cell, Value

FAMILY = "critical_band"
NOISE_FREE = f"{FAMILY}/sd0"
CENSORED = {
    thresholds.BELOW: "censored: the strongest noise is borne, so at most this",
    thresholds.WITHIN: "",
    thresholds.ABOVE: "censored: the weakest noise is not borne, so at least this",
}


def benchmarks() -> Iterator[Benchmark]:
    """Yield the paper's 29 conditions, which share one field of noise per image."""
    yield _benchmark(NOISE_FREE, 0, 0.0)
    for band in range(BANDS):
        for name, sd in zip(_names(band), thresholds.SDS, strict=True):
            yield _benchmark(name, band, sd)


def _benchmark(name, band, sd):
    return Benchmark(name, "imagenet", BandNoise(band, sd), stream=FAMILY)


def _names(band):
    return [f"{FAMILY}/f{band}/sd{sd:g}" for sd in thresholds.SDS]


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return the thresholds of the bands, and the critical band that they make.

    `critical_band/f<band>/threshold` is in octaves of noise (`masking.thresholds`);
    `critical_band/bandwidth` in octaves, `centre_frequency` in cycles per image,
    `peak_noise_sensitivity` a ratio, `residual` of the fit in octaves of noise.

    Plain names are ours: continuous thresholds to half of the noise-free accuracy,
    with 95 % intervals from 1000 resamples of the images where the records are there,
    those of thresholds open where they reach what is not tested;
    `_raw` the same to 50 %. `_paper` is the paper's way to 50 %, `_paper_norm` to half
    of the noise-free accuracy. `reason` also tells what a number cannot be taken for.
    """
    names = [benchmark.name for benchmark in benchmarks()]
    model, resamples = grid.measured(cells, names), grid.resampled(cells, names)
    absent = _absent(cells, names)
    doubt = grid.near_chance(model, cells.get(NOISE_FREE))
    fits = {
        "": _ours(model, resamples, True, absent or doubt),
        "_raw": _ours(model, resamples, False, absent or grid.below(model)),
        "_paper": _papers(model, False, absent or grid.below(model)),
        "_paper_norm": _papers(model, True, absent or _all_wrong(model), doubt),
    }
    by_band = {
        "threshold": _thresholds(cells, model, resamples, doubt),
        "threshold_paper": _integers(cells, model, False),
        "threshold_paper_norm": _integers(cells, model, True, doubt),
    }
    values = {
        f"{FAMILY}/{metric}{suffix}": value
        for suffix, fitted in fits.items()
        for metric, value in fitted.items()
    }
    for name, bands in by_band.items():
        values |= {f"{FAMILY}/f{i}/{name}": value for i, value in enumerate(bands)}
    n = proportions.trials(cells[NOISE_FREE].sums) if NOISE_FREE in cells else 0
    return {name: dataclasses.replace(value, n=n) for name, value in values.items()}


def _absent(cells: Mapping[str, Cell], names: Sequence[str]) -> str:
    absent = [name for name in names if name not in cells]
    return f"{proportions.NOT_MEASURED}{', '.join(absent)}" if absent else ""


def _all_wrong(model: Grid) -> str:
    return "" if model.noise_free[0] > 0 else "no example is right without noise"


def _ours(model: Grid, resamples: Resamples, relative: bool, reason: str):
    if reason:
        return _values(gaussian.Fit(reason=reason))
    found = thresholds.continuous(model.masked, model.criterion(relative))
    fit = censored.fit(thresholds.Continuous(*(part[0] for part in found)))
    return _values(fit, {} if fit.reason else _intervals(resamples, relative))


def _intervals(resamples: Resamples, relative: bool) -> dict[str, Interval]:
    drawn = resamples.grid
    if drawn is None:
        return dict.fromkeys(gaussian.NUMBERS, Interval(remark=resamples.remark))
    criterion = drawn.criterion(relative)
    fits = censored.fit_many(thresholds.continuous(drawn.masked, criterion))
    valid = fits.identified & (drawn.noise_free > criterion)
    return {
        metric: bootstrap.interval(numbers, valid)
        for metric, numbers in gaussian.numbers(*fits.parameters.T).items()
    }


def _papers(
    model: Grid, relative: bool, reason: str, doubt: str = ""
) -> dict[str, Value]:
    if reason:
        return _values(gaussian.Fit(reason=reason))
    found = thresholds.integer(model.masked, model.criterion(relative))[0]
    fit = gaussian.fit_as_paper(found.astype(float))
    return _values(fit._replace(remarks=(*fit.remarks, doubt)))


def _values(
    fit: gaussian.Fit, intervals: Mapping[str, Interval] | None = None
) -> dict[str, Value]:
    values = {}
    for metric, number in (fit.numbers | {"residual": fit.residual}).items():
        interval = (intervals or {}).get(metric, Interval())
        remarks = (*fit.remarks, fit.reason, interval.remark)
        values[metric] = _value(number, interval, *remarks)
    return values


def _value(number: float, interval: Interval, *remarks: str) -> Value:
    reason = "; ".join(remark for remark in remarks if remark)
    return Value(float(number), interval.low, interval.high, reason=reason)


def _thresholds(
    cells, model: Grid, resamples: Resamples, doubt: str
) -> Iterator[Value]:
    """Yield our threshold of each band."""
    found = thresholds.continuous(model.masked, model.criterion(relative=True))
    drawn = resamples.grid
    if drawn is not None:
        drawn = thresholds.continuous(drawn.masked, drawn.criterion(relative=True))
    for band in range(BANDS):
        reason = _absent(cells, [NOISE_FREE, *_names(band)]) or doubt
        if reason:
            yield Value(math.nan, reason=reason)
            continue
        interval = Interval(remark=resamples.remark)
        if drawn is not None:
            every = np.ones(len(drawn.threshold), bool)
            interval = bootstrap.interval(drawn.threshold[:, band], every)
            ends = thresholds.LOWEST, thresholds.HIGHEST
            interval = bootstrap.opened(interval, *ends)
        remark = CENSORED[int(found.censored[0, band])]
        yield _value(found.threshold[0, band], interval, remark, interval.remark)


def _integers(cells, model: Grid, relative: bool, doubt: str = "") -> Iterator[Value]:
    """Yield the paper's threshold of each band."""
    found = thresholds.integer(model.masked, model.criterion(relative))[0]
    unfit = _all_wrong(model) if relative else grid.below(model)
    for band in range(BANDS):
        reason = _absent(cells, [NOISE_FREE, *_names(band)]) or unfit
        number = math.nan if reason else float(found[band])
        yield Value(number, reason=reason or doubt)
