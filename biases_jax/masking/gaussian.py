"""Around which frequency, and how widely, does noise hurt? The paper's fit.

A Gaussian of the band's index is fitted to seven thresholds: an index is an octave.
"""

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import optimize

from biases_jax.types import Float

BANDS = np.arange(7.0)
LOWEST_LABEL = 1.75  # cycles per image: the label of band 0
FWHM = 2 * math.sqrt(math.log(4))  # of a Gaussian, in standard deviations
PEAK = 4.0  # the paper's largest amplitude, of which the sensitivity is 1
NARROW = 0.25  # octaves: the next band would have 3e-4 of the peak, or less
NUMBERS = ("bandwidth", "centre_frequency", "peak_noise_sensitivity")
NEAR = 1e-6  # of a bound: where an optimiser stops that would pass it


class Fit(NamedTuple):
    """A fitted Gaussian; NaN is said why in `reason`.

    `amplitude` and `residual` (root mean square) are in octaves of noise, `centre` is
    a band's index, `width` the standard deviation in octaves. `remarks` say what the
    numbers cannot be taken for.
    """

    amplitude: float = math.nan
    centre: float = math.nan
    width: float = math.nan
    residual: float = math.nan
    remarks: tuple[str, ...] = ()
    reason: str = ""

    @property
    def numbers(self) -> dict[str, float]:
        """What is published of the fit: see `numbers`."""
        return numbers(self.amplitude, self.centre, self.width)


def numbers(amplitude: Any, centre: Any, width: Any) -> dict[str, Any]:
    """Return what is published of Gaussians: numbers of numbers, arrays of arrays.

    `bandwidth` is the full width at half maximum in octaves, `centre_frequency` in
    cycles per image on the scale of the bands' labels, `peak_noise_sensitivity` the
    amplitude as a ratio of noise, of which 4 octaves are 1.
    """
    return {
        "bandwidth": FWHM * width,
        "centre_frequency": LOWEST_LABEL * 2**centre,
        "peak_noise_sensitivity": 2 ** (amplitude - PEAK),
    }


def gaussian(x, amplitude, centre, width):
    """Return the Gaussian's values at the bands' indices `x`."""
    return amplitude * np.exp(-((x - centre) ** 2) / (2 * width**2))


def fit_as_paper(thresholds: Float[np.ndarray, " bands"]) -> Fit:
    """Return the paper's fit to integer thresholds, and what to think of it.

    Least squares from amplitude 1, centre 0 and width 1; the amplitude is kept in
    [0, 4], centre and width have no bounds, and the width may turn negative: its
    magnitude is returned. Equal thresholds have no centre and no width; the paper's
    optimiser returns where it happened to stop.
    """
    if np.ptp(thresholds) == 0:
        return _flat(float(thresholds[0]))
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            # Of the covariance, which is not used.
            warnings.simplefilter("ignore", optimize.OptimizeWarning)
            (amplitude, centre, width), _ = optimize.curve_fit(
                gaussian,
                BANDS,
                thresholds,
                p0=(1, 0, 1),
                bounds=([0, -np.inf, -np.inf], [PEAK, np.inf, np.inf]),
            )
    except RuntimeError as error:
        return Fit(reason=f"the fit failed: {str(error).rstrip('.')}")
    residuals = gaussian(BANDS, amplitude, centre, width) - thresholds
    return Fit(
        float(amplitude),
        float(centre),
        abs(float(width)),
        math.sqrt(float(np.mean(residuals**2))),
        _remarks(amplitude, centre, width),
    )


def _flat(threshold: float) -> Fit:
    if threshold == 0:
        return Fit(reason="no masking effect: the strongest noise is borne everywhere")
    bound = ("amplitude at its bound",) if threshold == PEAK else ()
    return Fit(
        threshold, residual=0.0, remarks=bound, reason="flat: all thresholds are equal"
    )


def _remarks(amplitude, centre, width) -> tuple[str, ...]:
    remarks = {
        "amplitude at its bound": amplitude > PEAK - NEAR,
        "centre outside the tested bands": not BANDS[0] <= centre <= BANDS[-1],
        "wider than the tested bands": abs(width) > len(BANDS),
        "narrower than the bands are apart: no width determined": abs(width) < NARROW,
        "negative width, taken as positive": width < 0,
    }
    return tuple(remark for remark, holds in remarks.items() if holds)
