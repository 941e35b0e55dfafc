"""Is a model as accurate on one set of cells as on another of the same images?

As on corruptions that are made here, and on the published files of the same kind.
"""

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from biases_jax import hits, paired, proportions
from biases_jax.types import Cell, Value

LEVEL = 0.05  # how often an interval excludes 0 where nothing differs
NAMED = 5  # pairs in a reason
ALONE = "no interval: "
Pair = tuple[str, str]  # benchmarks: the one, and what is taken from it


class Gap(NamedTuple):
    """How far a cell is from its counterpart.

    `value` is its accuracy less the other's, in percentage points: NaN where one was
    not measured, without an interval where they cannot be paired by image. `p` is
    McNemar's, exact, NaN without an interval.
    """

    name: str
    value: Value
    p: float

    @property
    def compared(self) -> bool:
        """Whether both were measured."""
        return not math.isnan(self.value.value)

    @property
    def is_paired(self) -> bool:
        """Whether both are known to be of the same images."""
        return not math.isnan(self.p)

    @property
    def excludes_0(self) -> bool:
        """Whether 0 is outside of the interval."""
        return self.value.low > 0 or self.value.high < 0


class Gaps:
    """The gaps of one model.

    `of(pair)` returns that of a pair of benchmarks, paired by image; found once.

    Args:
        cells: of the model, by benchmark.
    """

    def __init__(self, cells: Mapping[str, Cell]):
        self._cells = cells
        self._hits = hits.Hits(cells)
        self.of = functools.cache(self._of)

    def mean(self, pairs: Sequence[Pair]) -> Value:
        """Return the mean gap of pairs; NaN where one of them was not measured.

        The interval is of the images, of which each is in all cells. Where they are
        few and the cells many, it is wider than need be, for the examples that
        `paired.ratio_interval` adds: with 145 cells by a fifth of 1,000 images, by a
        twentieth of 5,000.
        """
        found = [self.of(pair) for pair in pairs]
        absent = [gap.name for gap in found if not gap.compared]
        if absent or not found:
            return Value(math.nan, reason=_incomplete(absent, len(found)))
        value = float(np.mean([gap.value.value for gap in found]))
        n = found[0].value.n
        alone = [gap for gap in found if not gap.is_paired]
        if alone:
            return Value(value, n=n, reason=alone[0].value.reason)
        ours, theirs = (
            np.mean([self._hits.of(name) for name in side], 0)
            for side in zip(*pairs, strict=True)
        )
        form, one = (1.0, -1.0, 0.0), (0.0, 0.0, 1.0)
        low, high = paired.ratio_interval(ours, theirs, form, one)
        return Value(value, 100 * max(low, -1.0), 100 * min(high, 1.0), n)

    def _of(self, pair: Pair) -> Gap:
        absent = [name for name in pair if name not in self._cells]
        if absent:
            reason = f"{proportions.NOT_MEASURED}{', '.join(absent)}"
            return Gap(pair[0], Value(math.nan, reason=reason), math.nan)
        ours, theirs = map(self._hits.of, pair)
        if ours is None or theirs is None:
            rates = [proportions.accuracy(self._cells, name, "top1") for name in pair]
            lacks = dict.fromkeys(filter(None, map(self._hits.lacks, pair)))
            away = rates[0].value - rates[1].value
            value = Value(away, n=rates[0].n, reason=ALONE + ", ".join(lacks))
            return Gap(pair[0], value, math.nan)
        lost, gained = int((theirs & ~ours).sum()), int((ours & ~theirs).sum())
        value = paired.difference(lost, gained, len(ours))
        return Gap(pair[0], value, paired.mcnemar(lost, gained))


class Verdict(NamedTuple):
    """What gaps come to: how many could be paired, and how many of these differ.

    `excluding` have an interval without 0, `differing` a p below `LEVEL` after Holm's
    correction for their number. `largest` is of all that were compared, None of none.
    """

    compared: int
    paired: int
    excluding: int
    differing: int
    largest: Gap | None

    def __str__(self):
        excluding = f"{self.excluding} of {self.paired} intervals exclude 0"
        chance = f"{LEVEL * self.paired:.1f} would by chance"
        text = (
            f"{excluding} ({chance}), {self.differing} differ after Holm's correction"
        )
        alone = self.compared - self.paired
        return text + (f", {alone} have no interval" if alone else "")


def verdict(gaps: Iterable[Gap]) -> Verdict:
    """Return what gaps come to."""
    compared = [gap for gap in gaps if gap.compared]
    both = [gap for gap in compared if gap.is_paired]
    adjusted = paired.holm(np.array([gap.p for gap in both], float))
    return Verdict(
        compared=len(compared),
        paired=len(both),
        excluding=sum(gap.excludes_0 for gap in both),
        differing=int((adjusted < LEVEL).sum()),
        largest=max(compared, key=lambda gap: abs(gap.value.value), default=None),
    )


def _incomplete(absent: Sequence[str], count: int) -> str:
    more = f" and {len(absent) - NAMED} more" if len(absent) > NAMED else ""
    return (
        f"incomplete: {len(absent)} of {count} pairs of cells are not measured: "
        f"{', '.join(absent[:NAMED])}{more}"
    )
