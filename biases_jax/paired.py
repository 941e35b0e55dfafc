"""Do two measurements differ that are of the same examples?"""

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy import stats

from biases_jax.types import Value


def mcnemar(lost: int, gained: int) -> float:
    """Return the exact two-sided McNemar p of the discordant counts (1 if none)."""
    if lost + gained == 0:
        return 1.0
    return float(stats.binomtest(lost, lost + gained, 0.5).pvalue)


def holm(p: Float[np.ndarray, " m"]) -> Float[np.ndarray, " m"]:
    """Return p-values adjusted for their number by Holm's step-down method.

    Those below a level are as few by chance as one p-value would be, however the tests
    depend on each other. Source: Holm 1979, Scandinavian Journal of Statistics 6:65.
    """
    order = np.argsort(p)
    scaled = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return adjusted


def difference(lost: int, gained: int, n: int) -> Value:
    """Return second minus first accuracy in percentage points, with its interval.

    `lost` examples are right in the first only, `gained` in the second only. The
    interval is the adjusted Wald interval of Agresti & Min 2005 (Statistics in
    Medicine 24:729): half an example is added to each of the four cells, so that it
    holds for few discordant pairs too.
    """
    if n == 0:
        return Value(math.nan, reason="no examples in common")
    b, c, total = lost + 0.5, gained + 0.5, n + 2
    centre = (c - b) / total
    half = stats.norm.ppf(0.975) * math.sqrt(b + c - (c - b) ** 2 / total) / total
    low, high = max(centre - half, -1), min(centre + half, 1)
    return Value(100 * (gained - lost) / n, 100 * float(low), 100 * float(high), n)


def ratio_interval(
    x: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    numerator: Sequence[float],
    denominator: Sequence[float],
) -> tuple[float, float]:
    """Return the 95 % interval of a ratio of mean scores of the same n examples.

    The ratio is of two linear forms in (mean of x, mean of y, 1), given by their
    coefficients; scores are from 0 to 1. Delta method, after half an example is added
    for each pair of extreme scores, as in `difference`: so that it is not empty where
    all scores are equal, as 0 of 50 right. NaN where there are no examples.
    """
    if len(x) == 0:
        return math.nan, math.nan
    scores = np.stack([x, y, np.ones(len(x))], axis=1)
    scores = np.concatenate([scores, [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]])
    weights = np.append(np.ones(len(x)), np.full(4, 0.5)) / (len(x) + 2)
    means = weights @ scores
    ratio = (means @ numerator) / (means @ denominator)
    # Of the ratio's numerator less the ratio's denominators: its mean is 0.
    rest = scores @ (np.asarray(numerator) - ratio * np.asarray(denominator))
    error = math.sqrt(weights @ rest**2 / (len(x) + 2)) / abs(means @ denominator)
    half = stats.norm.ppf(0.975) * error
    return float(ratio - half), float(ratio + half)
