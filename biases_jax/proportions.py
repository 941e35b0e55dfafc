"""How sure is a proportion?"""

from collections.abc import Mapping

from scipy import stats

from biases_jax.types import Cell, Value


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


def accuracy(cells: Mapping[str, Cell], name: str, metric: str) -> Value:
    """Return a sum ('top1', 'top5') of the named cell as a proportion, in percent.

    NaN with a reason where the cell is absent.
    """
    if name not in cells:
        return Value(float("nan"), reason=f"not measured: {name}")
    sums = cells[name].sums
    return wilson(sums[metric], sums["count"])
