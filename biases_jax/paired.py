"""Do two classifiers differ on the same examples?"""

import math

from scipy import stats

from biases_jax.types import Value


def mcnemar(lost: int, gained: int) -> float:
    """Return the exact two-sided McNemar p of the discordant counts (1 if none)."""
    if lost + gained == 0:
        return 1.0
    return float(stats.binomtest(lost, lost + gained, 0.5).pvalue)


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
