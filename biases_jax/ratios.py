"""Which part of a model's clean accuracy is left, and how sure is that?"""

import functools
import math
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

from biases_jax import paired
from biases_jax.types import Cell, Value

NEAR_CHANCE = 10  # below this multiple of chance, a clean accuracy says nothing


class Ratios:
    """Ratios of accuracies of one model, all on the images of the clean cell.

    Intervals are of the images: each is in all cells, so that accuracies vary together
    (`paired.ratio_interval`). Without records there are none.

    Args:
        cells: of the model, by benchmark.
        clean: name of the benchmark whose accuracy is the whole.
    """

    def __init__(self, cells: Mapping[str, Cell], clean: str):
        self._cells, self._clean = cells, clean
        self._hits = functools.cache(self._read)
        self._ids: np.ndarray | None = None  # of the images, once they are read

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
        low, high = self._interval(names, (self._clean,), numerator, denominator)
        return Value(value, low if chance else max(low, 0.0), high, self._n(names))

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
        low, high = self._interval(part, rest, (1.0, 0.0, 0.0), (1.0, 1.0, 0.0))
        return Value(own / (own + other), max(low, 0.0), min(high, 1.0), self._n(part))

    def _absent(self, names: Sequence[str]) -> str:
        absent = [name for name in dict.fromkeys(names) if name not in self._cells]
        return f"not measured: {', '.join(absent)}" if absent else ""

    def _at_chance(self, chance: float) -> str:
        clean = self._accuracy(self._clean)
        if clean == 0:
            return "the clean accuracy is 0"
        if clean < NEAR_CHANCE * chance:
            return (
                f"the clean accuracy, {clean:.2%}, is near chance: below "
                f"{NEAR_CHANCE * chance:.2%}"
            )
        return ""

    def _accuracy(self, name: str) -> float:
        sums = self._cells[name].sums
        return sums["top1"] / sums["count"]

    def _n(self, names: Sequence[str]) -> int:
        return int(self._cells[names[0]].sums["count"])

    def _interval(self, x, y, numerator, denominator) -> tuple[float, float]:
        hits = [[self._hits(name) for name in names] for names in (x, y)]
        if any(found is None for group in hits for found in group):
            return math.nan, math.nan
        means = [np.mean(group, axis=0) for group in hits]
        return paired.ratio_interval(*means, numerator, denominator)

    def _read(self, name: str) -> np.ndarray | None:
        """Return which images were right, sorted by id.

        None where the records are not to be had, or are not of the same images as
        those that were read first.
        """
        try:
            records = self._cells[name].records()
        except (FileNotFoundError, ValueError):
            return None
        ids = records["id"].to_numpy()
        if self._ids is None:
            self._ids = ids
        same = np.array_equal(ids, self._ids)
        return records["correct"].to_numpy() if same else None
