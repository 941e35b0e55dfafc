"""How accurate is a model over a grid of corruptions, all on the same images?

Means and corruption errors of Hendrycks & Dietterich 2019, *Benchmarking neural network
robustness to common corruptions and perturbations*, section 4.1. Nothing is averaged
over a grid that is not whole. Intervals are of the images: each is in all cells.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from biases_jax import hits, paired
from biases_jax.corruptions import alexnet
from biases_jax.types import Cell, Float, Value

NAMED = 5  # missing cells in a reason
Weights = Float[np.ndarray, " cells"]


class Means:
    """Weighted sums of one model's accuracies, in percent.

    Args:
        cells: of the model, by benchmark.
    """

    def __init__(self, cells: Mapping[str, Cell]):
        self._cells = cells
        self._hits = hits.Hits(cells).of

    def accuracy(self, names: Sequence[str]) -> Value:
        """Return the mean accuracy; NaN where a cell is missing."""
        reason = _incomplete(self._cells, names)
        if reason:
            return Value(math.nan, reason=reason)
        weights = np.full(len(names), 1 / len(names))
        low, high = self._interval(names, weights, (1.0, 0.0, 0.0))
        mean = self._mean(names, weights)
        bounds = (100 * max(low, 0.0), 100 * min(high, 1.0))
        return Value(100 * mean, *bounds, self._n(names))

    def corruption_error(
        self, grid: Mapping[str, Sequence[str]], clean: str = ""
    ) -> Value:
        """Return the mean over corruptions of error / AlexNet's error, in percent.

        NaN where a cell is missing.

        Args:
            grid: the benchmarks of each corruption.
            clean: the benchmark whose error is subtracted, as AlexNet's is from its
                own: the relative corruption error. '' for none.
        """
        names = [name for own in grid.values() for name in own]
        reason = _incomplete(self._cells, [*names, *([clean] if clean else ())])
        if reason:
            return Value(math.nan, reason=reason)
        weights = _error_weights(grid, alexnet.CLEAN if clean else 0.0)
        scale = 100 * weights.sum()
        weights /= weights.sum()
        whole = self._accuracy(clean) if clean else 1.0
        form = (-1.0, 1.0, 0.0) if clean else (-1.0, 0.0, 1.0)
        low, high = self._interval(names, weights, form, clean)
        value = scale * (whole - self._mean(names, weights))
        return Value(value, scale * low, scale * high, self._n(names))

    def _mean(self, names: Sequence[str], weights: Weights) -> float:
        return float(weights @ [self._accuracy(name) for name in names])

    def _interval(self, names, weights: Weights, form, clean: str = ""):
        """Return the interval of a linear form in (weighted mean, clean accuracy, 1).

        NaN without the records of all cells.
        """
        found = [self._hits(name) for name in (*names, *([clean] if clean else ()))]
        if any(own is None for own in found):
            return math.nan, math.nan
        scores = weights @ np.stack(found[: len(names)]).astype(float)
        whole = found[-1].astype(float)
        return paired.ratio_interval(scores, whole, form, (0.0, 0.0, 1.0))

    def _accuracy(self, name: str) -> float:
        sums = self._cells[name].sums
        return sums["top1"] / sums["count"]

    def _n(self, names: Sequence[str]) -> int:
        return int(self._cells[names[0]].sums["count"])


def _error_weights(grid: Mapping[str, Sequence[str]], less: float) -> Weights:
    """Return the weight of each cell, of AlexNet's errors less `less`."""
    parts = [
        np.full(len(own), 1 / (len(own) * (alexnet.ERRORS[corruption] - less)))
        for corruption, own in grid.items()
    ]
    return np.concatenate(parts) / len(grid)


def _incomplete(cells: Mapping[str, Cell], names: Sequence[str]) -> str:
    absent = [name for name in names if name not in cells]
    if not absent:
        return ""
    more = f" and {len(absent) - NAMED} more" if len(absent) > NAMED else ""
    return (
        f"incomplete: {len(absent)} of {len(names)} cells are not measured: "
        f"{', '.join(absent[:NAMED])}{more}"
    )
