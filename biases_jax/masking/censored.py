"""Which Gaussian do thresholds follow of which some are only known to be beyond?

Least squares in which a censored threshold counts only if the Gaussian lies on the
wrong side of it. The amplitude is in [0, 4.5], the centre in [-1, 7] and the width in
[0.2, 4]: an octave beyond what is tested. Many sets of thresholds (resamples) are
fitted at once, each from several starts, by damped Gauss-Newton steps.
"""

import itertools
from typing import NamedTuple

import numpy as np

from biases_jax.masking.gaussian import BANDS, NEAR, Fit, gaussian
from biases_jax.masking.thresholds import ABOVE, BELOW, WITHIN, Continuous
from biases_jax.types import Bool, Float

LOWER = np.array([0.0, -1.0, 0.2])  # amplitude, centre, width
UPPER = np.array([4.5, 7.0, 4.0])
NEEDED = 3  # thresholds within the tested range: as many as there are parameters
UNTESTED = "as many thresholds as parameters: the residual tells nothing"
STARTS = tuple(itertools.product((0.5, 2.5, 4.5, 6.5), (0.5, 1.5, 3.0)))
STEPS, TOLERANCE = 200, 1e-7  # of the slope; below 1e-8 the cost is all rounding

Parameters = Float[np.ndarray, "n 3"]


class Fits(NamedTuple):
    """Amplitudes, centres and widths of many fits; what is not identified is False."""

    parameters: Parameters
    identified: Bool[np.ndarray, " n"]


def fit(thresholds: Continuous) -> Fit:
    """Return the fit to the thresholds of seven bands, and what to think of it.

    NaN where fewer than three thresholds lie within the tested range, or where no
    start converges.
    """
    censored = thresholds.censored
    within = int((censored == WITHIN).sum())
    if within < NEEDED:
        return Fit(reason=_unidentified(censored, within))
    many = Continuous(thresholds.threshold[None], censored[None])
    fits = fit_many(many)
    if not fits.identified[0]:
        return Fit(reason="the fit failed: no start converged")
    misses = _misses(fits.parameters, *many)[0]
    residual = float(np.sqrt(np.mean(misses**2)))
    remarks = _remarks(fits.parameters[0], len(censored) - within)
    if within == NEEDED and residual < NEAR:
        remarks = (*remarks, UNTESTED)
    return Fit(*fits.parameters[0].tolist(), residual=residual, remarks=remarks)


def fit_many(thresholds: Continuous) -> Fits:
    """Return the best fit of each set of thresholds, [n, 7], over all starts."""
    count, starts = len(thresholds.threshold), len(STARTS)
    sets = Continuous(*(np.repeat(values, starts, axis=0) for values in thresholds))
    begin = np.empty((count, starts, 3))
    begin[..., 0] = thresholds.threshold.max(axis=1, keepdims=True)
    begin[..., 1:] = STARTS
    found, slope = _descend(begin.reshape(-1, 3), sets)
    cost = (_misses(found, *sets) ** 2).sum(axis=1)
    cost = np.where(slope < TOLERANCE, cost, np.inf).reshape(count, starts)
    best = cost.argmin(axis=1), np.arange(count)
    within = (thresholds.censored == WITHIN).sum(axis=1)
    identified = (within >= NEEDED) & np.isfinite(cost.min(axis=1))
    return Fits(found.reshape(count, starts, 3)[best[1], best[0]], identified)


def _descend(parameters: Parameters, sets: Continuous):
    """Return where each descent from `parameters` ends, and the cost's slope there."""
    parameters = parameters.copy()
    damping = np.full(len(parameters), 1e-3)
    slope = np.full(len(parameters), np.inf)
    running = np.arange(len(parameters))
    for _ in range(STEPS):
        own = Continuous(*(values[running] for values in sets))
        at, misses = parameters[running], _misses(parameters[running], *own)
        gradient, curvature = _normal_equations(at, misses)
        free = _free(at, gradient)
        slope[running] = np.abs(gradient * free).max(axis=1)
        step = _step(gradient, curvature, free, damping[running])
        tried = np.clip(at - step, LOWER, UPPER)
        better = (_misses(tried, *own) ** 2).sum(axis=1) < (misses**2).sum(axis=1)
        parameters[running[better]] = tried[better]
        factor = np.where(better, 0.2, 5.0)
        damping[running] = np.clip(damping[running] * factor, 1e-12, 1e12)
        running = running[slope[running] >= TOLERANCE]
        if not running.size:
            break
    return parameters, slope


def _misses(parameters: Parameters, threshold, censored):
    """Return by how much each Gaussian misses each threshold, 0 where it need not."""
    miss = _values(parameters) - threshold
    harmless = ((censored == BELOW) & (miss < 0)) | ((censored == ABOVE) & (miss > 0))
    return np.where(harmless, 0, miss)


def _values(parameters: Parameters):
    amplitude, centre, width = parameters.T[..., None]
    return gaussian(BANDS, amplitude, centre, width)


def _normal_equations(parameters: Parameters, misses):
    """Return half the gradient of the cost and its Gauss-Newton curvature."""
    amplitude, centre, width = parameters.T[..., None]
    shape = gaussian(BANDS, 1.0, centre, width)
    distance = (BANDS - centre) / width
    along_centre = amplitude * shape * distance / width
    jacobian = np.stack([shape, along_centre, along_centre * distance], axis=-1)
    counted = jacobian * (misses != 0)[..., None]
    gradient = np.einsum("nbp,nb->np", counted, misses)
    return gradient, np.einsum("nbp,nbq->npq", counted, counted)


def _free(parameters: Parameters, gradient):
    """Return which parameters are not held by a bound that the descent would cross."""
    held = ((parameters <= LOWER) & (gradient > 0)) | (
        (parameters >= UPPER) & (gradient < 0)
    )
    return ~held


def _step(gradient, curvature, free, damping):
    """Return the damped step of the free parameters; the others stay."""
    both = free[:, :, None] & free[:, None, :]
    diagonal = np.einsum("npp->np", curvature)
    scaled = damping[:, None] * np.maximum(diagonal, 1e-9) + ~free
    matrix = np.where(both, curvature, 0) + scaled[:, :, None] * np.eye(3)
    return np.linalg.solve(matrix, (gradient * free)[..., None])[..., 0]


def _unidentified(censored, within: int) -> str:
    if (censored == BELOW).all():
        return "no masking effect: the strongest noise is borne everywhere"
    if (censored == ABOVE).all():
        return "censored everywhere: the weakest noise is borne nowhere"
    return (
        f"not identified: {within} of {len(censored)} thresholds lie within the tested "
        f"noise, at least {NEEDED} are needed"
    )


def _remarks(parameters, beyond: int) -> tuple[str, ...]:
    remarks = [f"{beyond} of {len(BANDS)} thresholds censored"] if beyond else []
    names = ("amplitude", "centre", "width")
    bounds = np.minimum(parameters - LOWER, UPPER - parameters) < NEAR
    remarks += [f"{names[i]} at its bound" for i in np.flatnonzero(bounds)]
    if not BANDS[0] <= parameters[1] <= BANDS[-1]:
        remarks.append("centre outside the tested bands")
    return tuple(remarks)
