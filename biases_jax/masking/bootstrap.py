"""How sure is a number that many cells of the same images make?

Images are drawn anew with replacement, together with the answers in all cells: what
an image adds to one accuracy and to another stays joined.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from biases_jax.types import Bool, Float

RESAMPLES, SEED = 1000, 0
LEVELS = (2.5, 97.5)  # percentiles: the 95 % interval
TOLERATED = 0.05  # of the resamples may have no such number
EDGE = "it reaches beyond what is tested"
CHUNK = 50  # resamples counted at a time, to bound memory


class Interval(NamedTuple):
    """The 2.5th and 97.5th percentile of a number's resamples, or why one is NaN."""

    low: float = math.nan
    high: float = math.nan
    remark: str = ""


def accuracies(records: Sequence[Any]) -> Float[np.ndarray, "resamples cells"]:
    """Return the percentage of right answers in each cell, of 1000 resamples.

    A function of how many images have which answers, by a fixed seed: not of the order
    of the images.

    Args:
        records: per cell a `pyarrow.Table` with `id` and `correct`, sorted by id.

    Raises:
        ValueError: the cells are not of the same images.
    """
    ids = records[0]["id"].to_numpy()
    if any(not np.array_equal(table["id"].to_numpy(), ids) for table in records):
        raise ValueError("got records of different images, expected the same in all")
    correct = np.stack([table["correct"].to_numpy() for table in records], axis=1)
    # Many images are answered alike: each pattern of answers is counted once.
    patterns, counts = np.unique(correct, axis=0, return_counts=True)
    return 100 / len(ids) * np.concatenate(list(_sums(patterns, counts)))


def interval(
    resampled: Float[np.ndarray, " resamples"], valid: Bool[np.ndarray, " resamples"]
) -> Interval:
    """Return the interval of those resamples that have the number.

    None where more than 5 % have not, as it would be of the rest's choosing.
    """
    lacking = int((~valid).sum())
    if lacking > TOLERATED * len(valid):
        return Interval(
            remark=f"no interval: {lacking} of {len(valid)} resamples have no number"
        )
    low, high = np.percentile(resampled[valid], LEVELS).tolist()
    return Interval(low, high)


def opened(found: Interval, lowest: float, highest: float) -> Interval:
    """Return an interval of numbers that are only known to be beyond a range's ends.

    An end that lies at an edge of the range, of numbers cut off there, is open: NaN,
    which the remark says. With both open there is no interval.
    """
    below, above = found.low <= lowest, found.high >= highest
    if found.low >= highest or found.high <= lowest or (below and above):
        return Interval(remark="no interval: neither end lies within what is tested")
    if below:
        return Interval(math.nan, found.high, f"interval open below: {EDGE}")
    if above:
        return Interval(found.low, math.nan, f"interval open above: {EDGE}")
    return found


def _sums(patterns, counts):
    generator = np.random.default_rng(SEED)
    of_image = np.repeat(np.arange(len(counts)), counts)
    weights = patterns.astype(np.float64)
    for start in range(0, RESAMPLES, CHUNK):
        drawn = [
            np.bincount(
                of_image[generator.integers(len(of_image), size=len(of_image))],
                minlength=len(counts),
            )
            for _ in range(min(CHUNK, RESAMPLES - start))
        ]
        yield np.stack(drawn) @ weights
