"""What is remembered of one model on one benchmark?"""

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

Number = int | float


@dataclasses.dataclass(frozen=True)
class CellHeader:
    """A cell: one model on one benchmark, over `n_expected` examples.

    `provenance` holds what identifies it: `weights_sha256`, `benchmark_repr`,
    `revision`, `source`, `source_sha256` (hash of ids and labels), `preprocessing`,
    `seed`, `precision`, and beyond that `n_unique`, the number of different examples,
    which must be all, `class_map_sha256` (hash of the wnids in their order) and
    `labels`, what proves them. All of it must be JSON.
    """

    model: str
    benchmark: str
    fingerprint: str
    n_expected: int
    provenance: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Block:
    """The additive sums of a cell over the examples [first, last).

    `order` is the hash of the source's fixed order of ids: positions of different
    orders are not comparable, so their blocks never tile together. `cost` counts
    `seconds`, `decodes`, `forwards`, `gradients`. `records` is the Parquet file that
    holds the examples, '' if records are off.
    """

    fingerprint: str
    order: str
    first: int
    last: int
    sums: Mapping[str, Number]
    cost: Mapping[str, Number]
    records: str = ""

    def __post_init__(self):
        if not 0 <= self.first < self.last:
            raise ValueError(
                f"got a block of examples [{self.first}, {self.last}), expected"
                " 0 <= first < last"
            )

    @property
    def whole(self) -> bool:
        """Whether every example of the block was counted (none was corrupt)."""
        return self.sums.get("count") == self.last - self.first


@dataclasses.dataclass(frozen=True)
class Row:
    """A complete cell: blocks that tile the source, and their sums.

    `runs` are the run lines of all runs that contributed, oldest first.
    """

    model: str
    benchmark: str
    fingerprint: str
    n_expected: int
    sums: Mapping[str, Number]
    cost: Mapping[str, Number]
    provenance: Mapping[str, Any]
    runs: tuple[Mapping[str, Any], ...]
    blocks: tuple[Block, ...]

    @property
    def n_seen(self) -> int:
        """The number of examples counted."""
        return int(self.sums["count"])


@dataclasses.dataclass(frozen=True)
class Problem:
    """A cell that is not published (or, for `conflict`, whose blocks disagree)."""

    model: str
    benchmark: str
    fingerprint: str
    state: str  # 'partial', 'refused' or 'conflict'
    n_expected: int
    n_seen: int
    reason: str


def fingerprint(
    *,
    weights_sha256: str,
    benchmark_repr: str,
    revision: int,
    source_sha256: str,
    preprocessing: str,
    seed: int,
    precision: str,
) -> str:
    """Return the sha256 (hex) of everything that can change a cell's numbers.

    Raises ValueError if `benchmark_repr` holds a memory address, which would make
    the cell another one in every process.
    """
    if " at 0x" in benchmark_repr:
        raise ValueError(
            f"got {benchmark_repr!r}, expected a repr without addresses: make"
            " transforms, scores and attacks frozen dataclasses of plain values"
        )
    identity = {
        "weights_sha256": weights_sha256,
        "benchmark_repr": benchmark_repr,
        "revision": revision,
        "source_sha256": source_sha256,
        "preprocessing": preprocessing,
        "seed": seed,
        "precision": precision,
    }
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def add(parts: Iterable[Mapping[str, Number]]) -> dict[str, Number]:
    """Return the sums over all parts, names sorted: integers stay integers.

    Floats are added exactly (`math.fsum`), so the order of the parts leaves no trace.
    Raises ValueError if the parts do not all hold the same names.
    """
    parts = list(parts)
    names = sorted({name for part in parts for name in part})
    lacking = sorted({n for n in names for part in parts if n not in part})
    if lacking:
        raise ValueError(f"the blocks hold different sums: not all have {lacking}")
    return {name: _total([part[name] for part in parts]) for name in names}


def _total(values: list[Number]) -> Number:
    if all(isinstance(value, int) for value in values):
        return sum(values)
    return math.fsum(values)
