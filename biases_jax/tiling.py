"""Which blocks together cover a source, and what do they leave open?"""

import bisect
from collections.abc import Iterable
from typing import Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Interval(Protocol):
    """Anything over the examples [first, last)."""

    first: int
    last: int


T = TypeVar("T", bound=Interval)


def cover(intervals: Iterable[T]) -> list[T]:
    """Return disjoint intervals that cover the most examples, in order.

    Weighted interval scheduling. Of equal coverage the one with fewer intervals is
    taken, and then always the same one, whatever the order they come in. Of equal
    intervals the last given is used.
    """
    distinct = {(block.last, block.first): block for block in intervals}
    ordered = [distinct[key] for key in sorted(distinct)]
    ends = [block.last for block in ordered]
    best = [(0, 0)]  # (examples covered, -number of intervals) by the first i
    before = []  # how many intervals end before the i-th begins
    for i, block in enumerate(ordered):
        before.append(bisect.bisect_right(ends, block.first, hi=i))
        covered, count = best[before[i]]
        best.append(max(best[i], (covered + block.last - block.first, count - 1)))
    chosen = []
    i = len(ordered)
    while i:
        if best[i] == best[i - 1]:
            i -= 1
        else:
            chosen.append(ordered[i - 1])
            i = before[i - 1]
    return chosen[::-1]


def gaps(intervals: Iterable[Interval], end: int) -> list[tuple[int, int]]:
    """Return the parts [first, last) of [0, end) that disjoint intervals leave open."""
    open_parts = []
    position = 0
    for block in sorted(intervals, key=lambda block: block.first):
        if block.first > position:
            open_parts.append((position, block.first))
        position = block.last
    if position < end:
        open_parts.append((position, end))
    return open_parts


def covered(intervals: Iterable[Interval]) -> int:
    """Return how many examples disjoint intervals cover."""
    return sum(block.last - block.first for block in intervals)
