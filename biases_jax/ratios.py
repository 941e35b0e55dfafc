"""Which part of a model's clean accuracy is left, and how sure is that?"""

import math
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from biases_jax import hits, paired, proportions
from biases_jax.types import Cell, Value

NO_INTERVAL = "no interval: no records of all cells that are of the same images"


class Ratios:
    """Ratios of accuracies of one model, all on the images of the clean cell.

    Intervals are of the images: each is in all cells, so that accuracies vary together
    (`paired.ratio_interval`). Without records there are none, which is remarked.

    Args:
        cells: of the model, by benchmark.
        clean: name of the benchmark whose accuracy is the whole.
    """

    def __init__(self, cells: Mapping[str, Cell], clean: str):
        self._cells, self._clean = cells, clean
        self._hits = hits.Hits(cells).of

    def of_clean(self, names: Sequence[str], chance: float = 0.0) -> Value:
        """Return (accuracy - chance) / (clean - chance), averaged over benchmarks.

        NaN where one of them was not measured, or the clean accuracy is 0 or, if there
        is a chance, near it.
        """
        reason = self._absent((*names, self._clean)) or self._at_chance(chance)
        if reason:
            return Value(math.nan, reason=reason)
        mean = statistics.fmean(map(self._accuracy, names))
        value = (mean - chance) / (self._accuracy(self._clean) - chance)
        numerator, denominator = (1.0, 0.0, -chance), (0.0, 1.0, -chance)
        groups = names, (self._clean,)
        low, high, remark = self._interval(*groups, numerator, denominator)
        low = low if chance else max(low, 0.0)
        return Value(value, low, high, self._n(names), remark)

    def share(self, part: Sequence[str], rest: Sequence[str]) -> Value:
        """Return part / (part + rest) of the mean accuracies of two sets of benchmarks.

        NaN as of `of_clean`, and where both are 0.
        """
        reason = self._absent((*part, *rest, self._clean)) or self._at_chance(0.0)
        if reason:
            return Value(math.nan, reason=reason)
        own, other = (
            statistics.fmean(map(self._accuracy, names)) for names in (part, rest)
        )
        if own + other == 0:
            return Value(math.nan, n=self._n(part), reason="both biases are 0")
        groups, n = (part, rest), self._n(part)
        low, high, remark = self._interval(*groups, (1.0, 0.0, 0.0), (1.0, 1.0, 0.0))
        low, high = max(low, 0.0), min(high, 1.0)
        return Value(own / (own + other), low, high, n, remark)

    def _absent(self, names: Sequence[str]) -> str:
        absent = [name for name in dict.fromkeys(names) if name not in self._cells]
        return f"{proportions.NOT_MEASURED}{', '.join(absent)}" if absent else ""

    def _at_chance(self, chance: float) -> str:
        clean = self._accuracy(self._clean)
        if clean == 0:
            return "the clean accuracy is 0"
        if clean < proportions.NEAR_CHANCE * chance:
            return (
                f"the clean accuracy, {clean:.2%}, is near chance: below "
                f"{proportions.NEAR_CHANCE * chance:.2%}"
            )
        return ""

    def _accuracy(self, name: str) -> float:
        sums = self._cells[name].sums
        return sums["top1"] / sums["count"]

    def _n(self, names: Sequence[str]) -> int:
        return int(self._cells[names[0]].sums["count"])

    def _interval(self, x, y, numerator, denominator) -> tuple[float, float, str]:
        """Return the ends of the interval, and why there is none."""
        found = [[self._hits(name) for name in names] for names in (x, y)]
        if any(own is None for group in found for own in group):
            return math.nan, math.nan, NO_INTERVAL
        means = [np.mean(group, axis=0) for group in found]
        return *paired.ratio_interval(*means, numerator, denominator), ""
