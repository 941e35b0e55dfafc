"""How sure is a share of decisions that come in clusters, not one by one?"""

import math

import numpy as np
from jaxtyping import Int

from biases_jax.types import Value

RESAMPLES = 2_000
SEED = 0  # the same decisions give the same interval


def share(first: Int[np.ndarray, " k"], second: Int[np.ndarray, " k"]) -> Value:
    """Return the share of first decisions among both, in percent, with its interval.

    The 95 % percentile interval of the bootstrap over whole clusters (Efron &
    Tibshirani 1993), which unlike the accelerated one exists where all clusters agree.
    NaN with a reason where there are no decisions; without an interval, and with the
    reason, where the clusters are too few.

    Args:
        first: the number of first decisions in each of k clusters.
        second: that of second decisions.
    """
    n = int(first.sum() + second.sum())
    if n == 0:
        return Value(math.nan, reason="no decision for either cue")
    value = 100 * float(first.sum()) / n
    if len(first) < 2:
        return Value(value, n=n, reason="no interval: all decisions are of one cluster")
    rng = np.random.default_rng(SEED)
    drawn = rng.multinomial(len(first), np.full(len(first), 1 / len(first)), RESAMPLES)
    either = drawn @ (first + second)
    if not either.all():
        reason = "no interval: too few clusters have decisions to draw them again"
        return Value(value, n=n, reason=reason)
    low, high = np.quantile(drawn @ first / either, (0.025, 0.975))
    return Value(value, 100 * float(low), 100 * float(high), n)
