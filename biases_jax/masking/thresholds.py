"""How much noise of each octave does a model bear?

A threshold counts octaves of noise from the strongest, 0.16, down to what the model
bears: 0 bears all that is tested, 4 none of it. Accuracies may be in any unit, that of
the criterion; leading axes (models, resamples) pass through.
"""

from typing import NamedTuple

import numpy as np

from biases_jax.types import Float, Int

SDS = (0.02, 0.04, 0.08, 0.16)  # tested noise, weakest first
BELOW, WITHIN, ABOVE = -1, 0, 1  # where a threshold lies against those tested
LOWEST, HIGHEST = 0.5, len(SDS) - 0.5  # continuous thresholds of the ends of the range

Accuracies = Float[np.ndarray, "*n sds bands"]
Criteria = Float[np.ndarray, "*n"]


class Continuous(NamedTuple):
    """Thresholds log2(0.16 / sd) + 0.5, of the SD at which accuracy is the criterion.

    `censored` is BELOW where the strongest noise is borne, so that the threshold is at
    most LOWEST, ABOVE where the weakest is not, so that it is at least HIGHEST.
    """

    threshold: Float[np.ndarray, "*n bands"]
    censored: Int[np.ndarray, "*n bands"]


def integer(accuracies: Accuracies, criterion: Criteria) -> Int[np.ndarray, "*n bands"]:
    """Return how many SDs are rejected, from the strongest, before one is passed.

    To pass is to be more accurate than the criterion; a stronger SD that is passed
    hides a weaker one that is not. SDs are weakest first, as in `SDS`.
    Source: the paper's code (its noise-free row, which is known to pass, left out).
    """
    passed = _passed(accuracies, criterion)
    return np.where(passed.any(axis=-2), passed.argmax(axis=-2), len(SDS))


def continuous(accuracies: Accuracies, criterion: Criteria) -> Continuous:
    """Return where accuracy crosses the criterion, interpolated in log2 SD.

    It is the crossing above the strongest SD that is passed, so within half an octave
    of the integer threshold; out of the range, the end of the range.
    """
    rejected = integer(accuracies, criterion)
    from_strongest = accuracies[..., ::-1, :]
    passing = np.clip(rejected, 1, len(SDS) - 1)
    above = np.take_along_axis(from_strongest, passing[..., None, :], -2)[..., 0, :]
    below = np.take_along_axis(from_strongest, passing[..., None, :] - 1, -2)[..., 0, :]
    within = (rejected > 0) & (rejected < len(SDS))
    drop = np.where(within, above - below, 1)
    threshold = passing + 0.5 - (above - criterion[..., None]) / drop
    threshold = np.where(rejected == 0, LOWEST, threshold)
    threshold = np.where(rejected == len(SDS), HIGHEST, threshold)
    censored = np.where(rejected == 0, BELOW, np.where(within, WITHIN, ABOVE))
    return Continuous(threshold, censored)


def _passed(accuracies, criterion):
    """Return which SDs are passed, strongest first."""
    return (accuracies > criterion[..., None, None])[..., ::-1, :]
