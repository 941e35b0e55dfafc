"""Which examples are still to be measured, in which blocks, and by which process?"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeVar

BLOCK = 2048  # examples at most in a block, unless one batch is larger

CellKey = TypeVar("CellKey")
Interval = tuple[int, int]  # first, last: a half-open run of a source's fixed order


@dataclasses.dataclass(frozen=True)
class Block:
    """A run of examples and the cells that need it: the unit of work and resume."""

    first: int
    last: int
    cells: tuple


def blocks(
    missing: Mapping[CellKey, Sequence[Interval]], share: Interval, batch_size: int
) -> list[Block]:
    """Cut what is missing within `share` into blocks of whole batches.

    Each example of each missing cell falls into exactly one block, and cells that
    miss the same examples share blocks, so that an image is decoded once for all of
    them. Blocks start where the missing runs start and so keep the batch grid of an
    interrupted run. No example outside the share is touched: processes need not
    talk to each other, whatever each of them finds already measured.
    """
    clipped = {
        cell: [_clip(interval, share) for interval in intervals]
        for cell, intervals in missing.items()
    }
    edges = sorted({e for intervals in clipped.values() for i in intervals for e in i})
    size = max(BLOCK // batch_size, 1) * batch_size
    found = []
    for first, last in zip(edges, edges[1:], strict=False):
        cells = tuple(
            cell
            for cell, intervals in clipped.items()
            if any(start <= first and last <= end for start, end in intervals)
        )
        if cells:
            found += [
                Block(start, min(start + size, last), cells)
                for start in range(first, last, size)
            ]
    return found


def _clip(interval: Interval, share: Interval) -> Interval:
    first = min(max(interval[0], share[0]), share[1])
    return first, max(first, min(interval[1], share[1]))
