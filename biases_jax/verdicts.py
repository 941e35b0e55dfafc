"""May a cell be published, and if not, why?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from biases_jax import rows, tiling
from biases_jax.rows import Block, CellHeader, Problem, Row

Age = tuple[str, str, int]  # file name (it begins with the time), folder, line


class Placed(NamedTuple):
    """A block and where it was read; a greater age is newer."""

    age: Age
    run: str
    block: Block

    @property
    def first(self) -> int:
        """The first example of the block."""
        return self.block.first

    @property
    def last(self) -> int:
        """One past the last example of the block."""
        return self.block.last


def judge(
    header: CellHeader, placed: Sequence[Placed], runs: Mapping[str, Mapping[str, Any]]
) -> Row | Problem:
    """Return the row of a cell whose blocks tile the source, else what is wrong."""
    tiles = _best([tile for tile in placed if tile.block.whole])
    if tiling.gaps(tiles, header.n_expected):
        tiles = max(tiles, _best(placed), key=tiling.covered)
    blocks = tuple(tile.block for tile in tiles)
    seen = sum(int(block.sums.get("count", 0)) for block in blocks)
    holes = tiling.gaps(tiles, header.n_expected)
    if holes:
        return _problem(header, "partial", seen, _listed(holes))
    reason = _repeated(header) or _unsound(header, blocks)
    if reason:
        return _problem(header, "refused", seen, reason)
    names = sorted({tile.run for tile in tiles})
    return Row(
        model=header.model,
        benchmark=header.benchmark,
        fingerprint=header.fingerprint,
        n_expected=header.n_expected,
        sums=rows.add(block.sums for block in blocks),
        cost=rows.add(block.cost for block in blocks),
        provenance=header.provenance,
        runs=tuple({"run_id": name, **runs.get(name, {})} for name in names),
        blocks=blocks,
    )


def conflicts(header: CellHeader, placed: Sequence[Placed]) -> Iterator[Problem]:
    """Yield where an older block has other integer sums than the newest of its kind."""
    newest: dict[tuple[str, int, int], Block] = {}
    whole = [tile.block for tile in sorted(placed, reverse=True) if tile.block.whole]
    for block in whole:
        kept = newest.setdefault((block.order, block.first, block.last), block)
        changes = _changes(block, kept)
        if changes:
            reason = f"examples [{block.first}, {block.last}): {', '.join(changes)}"
            yield _problem(header, "conflict", int(kept.sums["count"]), reason)


def _best(placed: Sequence[Placed]) -> list[Placed]:
    """Return the tiles of the order that covers most, of the newest order if equal."""
    orders: dict[str, list[Placed]] = {}
    for tile in sorted(placed):
        orders.setdefault(tile.block.order, []).append(tile)
    newest_first = sorted(orders.values(), key=lambda group: group[-1].age)[::-1]
    return max(map(tiling.cover, newest_first), key=tiling.covered, default=[])


def _problem(header: CellHeader, state: str, seen: int, reason: str) -> Problem:
    identity = (header.model, header.benchmark, header.fingerprint)
    return Problem(*identity, state, header.n_expected, seen, reason)


def _listed(holes: list[tuple[int, int]]) -> str:
    where = ", ".join(f"[{first}, {last})" for first, last in holes[:3])
    more = f" and {len(holes) - 3} more" if len(holes) > 3 else ""
    return f"examples {where}{more} are missing"


def _repeated(header: CellHeader) -> str:
    """Return that examples are counted twice, '' if they are not."""
    unique = header.provenance.get("n_unique", header.n_expected)
    if unique == header.n_expected:
        return ""
    return f"only {unique} of {header.n_expected} examples are different ones"


def _unsound(header: CellHeader, blocks: Sequence[Block]) -> str:
    """Return why complete blocks must not be published, '' if they may."""
    try:
        sums = rows.add(block.sums for block in blocks)
        rows.add(block.cost for block in blocks)
    except ValueError as error:
        return str(error)
    if sums.get("count") != header.n_expected:
        return (
            f"{sums.get('count')} of {header.n_expected} examples were counted:"
            " some images could not be read"
        )
    if sums.get("nonfinite", 0):
        return f"{sums['nonfinite']} examples have a NaN or infinite logit"
    return ""


def _changes(old: Block, new: Block) -> list[str]:
    """Return 'name old -> new' of each integer sum that differs."""
    pairs = [(name, old.sums.get(name), new.sums[name]) for name in sorted(new.sums)]
    return [
        f"{name} {before} -> {after}"
        for name, before, after in pairs
        if isinstance(after, int) and before != after
    ]
