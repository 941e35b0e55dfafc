"""How sure is a proportion?"""

from collections.abc import Iterable, Mapping

from scipy import stats

from biases_jax.benchmark import Benchmark
from biases_jax.types import Cell, Value

RATES = ("top1", "top5")  # sums that are published as percentages of the trials
NEAR_CHANCE = 10  # below this multiple of chance, a clean accuracy says nothing
NOT_MEASURED = "not measured: "  # how a reason begins; the cells that lack follow


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


def trials(sums: Mapping[str, int | float]) -> int:
    """Return of how many examples a cell's rates are: those judged, else all."""
    return int(sums.get("scored", sums["count"]))


def accuracy(cells: Mapping[str, Cell], name: str, metric: str) -> Value:
    """Return a sum ('top1', 'top5') of the named cell as a proportion, in percent.

    NaN with a reason where the cell is absent.
    """
    if name not in cells:
        return Value(float("nan"), reason=f"{NOT_MEASURED}{name}")
    sums = cells[name].sums
    return wilson(sums[metric], trials(sums))


def accuracies(
    cells: Mapping[str, Cell], benchmarks: Iterable[Benchmark]
) -> dict[str, Value]:
    """Return the accuracies of benchmarks by '<name>/top1' and '<name>/top5'."""
    return {
        f"{benchmark.name}/{metric}": accuracy(cells, benchmark.name, metric)
        for benchmark in benchmarks
        for metric in RATES
    }
