"""How sure is a proportion?"""

from scipy import stats

from biases_jax.types import Value


def wilson(successes: int, trials: int) -> Value:
    """Return the proportion in percent with its 95 % Wilson interval.

    NaN with a reason where there are no trials. Source: Wilson 1927, by
    `scipy.stats.binomtest`.
    """
    if trials == 0:
        return Value(float("nan"), reason="no examples")
    interval = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    return Value(
        100 * successes / trials, 100 * interval.low, 100 * interval.high, trials
    )
