"""Are corruptions made here as hard as the published files, on the same images?"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from biases_jax import benchmarks, cell_gaps, columns, model_cells, results, usage
from biases_jax.analysis import mixture
from biases_jax.benchmark import Benchmark
from biases_jax.cell_gaps import Gap, Pair
from biases_jax.corruptions import names
from biases_jax.rows import Row
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages.request import Request
from biases_jax.types import Cell, Value

NOTE = (
    "gap: accuracy on images made here less that on the published files, percentage"
    " points, with its 95 % interval, paired by image; *: 0 is outside of it; differ:"
    " by McNemar's exact test, below 0.05 after Holm's correction for the cells of that"
    " line; the mean's interval is of the images, each of which is in all cells"
)


def run(request: Request) -> int:
    """Print the gaps of each model; return 0 if all pairs asked for were compared.

    Else 3, also where both sides are measured but cannot be paired by image. Rows of
    other weights, settings or definitions than those asked for do not count.

    Raises:
        app.UsageError: the benchmarks hold no pair.
        FileNotFoundError: nothing was measured in the run's folder.
    """
    asked = pairs(request.benchmarks)
    if not asked:
        raise usage.error(_no_pair(request.config.benchmarks))
    rows = _rows(request, {name for pair in asked for name in pair})
    whole = 0
    for reference in request.references:
        own = [row for row in rows if row.model == reference.name]
        reason = mixture.reason(own)
        cells = model_cells.of([] if reason else own, request.records, request.sources)
        found = cell_gaps.Gaps(cells)
        whole += all(found.of(pair).is_paired for pair in asked)
        told = reason or described(found, asked, cells)
        print(f"{reference.name}: {told}\n", flush=True)
    count = len(request.references)
    print(NOTE)
    print(f"{whole} of {count} model(s): all {len(asked)} pairs compared by image")
    return DONE if whole == count else INCOMPLETE


def pairs(chosen: Iterable[Benchmark]) -> list[Pair]:
    """Return the benchmarks made here with their published counterparts, both chosen.

    A family says with `PUBLISHED` whose files its benchmarks are like.
    """
    listed = [benchmark.name for benchmark in chosen]
    found = []
    for made, published in _published().items():
        start = f"{published}/"
        theirs = [name for name in listed if name.startswith(start)]
        both = [(f"{made}/{name.removeprefix(start)}", name) for name in theirs]
        found += [pair for pair in both if pair[0] in listed]
    return found


def described(
    found: cell_gaps.Gaps, asked: Sequence[Pair], cells: Mapping[str, Cell]
) -> str:
    """Return one model's gaps as text: the table, what they come to, what is absent."""
    gaps = [found.of(pair) for pair in asked]
    compared = [pair for pair in asked if found.of(pair).compared]
    if not compared:
        return "\n".join(["no pair is measured on both sides", *_absent(asked, cells)])
    families = dict.fromkeys(map(_family, compared))
    lines = [_total(family, found, _of(family, asked)) for family in families]
    if len(families) > 1:
        lines.append(_total(("all of these", "their counterparts"), found, asked))
    text = ["images made here less the published files", table(gaps), *lines]
    return "\n".join([*text, *_unpaired(gaps), *_absent(asked, cells)])


def table(gaps: Iterable[Gap]) -> str:
    """Return the gaps that were compared as text, a corruption a line."""
    grid: dict[tuple[str, ...], dict[str, Gap]] = {}
    for gap in gaps:
        *kind, severity = gap.name.split("/")
        if gap.compared:
            grid.setdefault(tuple(kind), {})[severity] = gap
    severities = [str(severity) for severity in names.SEVERITIES]
    lines = [("family", "corruption", "n", *severities)]
    for kind, own in grid.items():
        counts = dict.fromkeys(str(gap.value.n) for gap in own.values())
        shown = (_marked(own[s]) if s in own else "- " for s in severities)
        lines.append((*kind, "/".join(counts), *shown))
    return columns.aligned(lines)


def _rows(request: Request, wanted: Collection[str]) -> list[Row]:
    """Return the complete cells of these benchmarks that are what was asked for."""
    verdicts = results.read(request.results).verdicts()
    unfinished = set(request.unfinished(verdicts))
    rows = [v for v in verdicts if isinstance(v, Row) and v.benchmark in wanted]
    return [row for row in rows if (row.model, row.benchmark) not in unfinished]


def _published() -> dict[str, str]:
    """Return the families of images made here, with those of the published files."""
    families = benchmarks.families().items()
    return {name: f.PUBLISHED for name, f in families if hasattr(f, "PUBLISHED")}


def _no_pair(patterns: Sequence[str]) -> str:
    made, published = next(iter(_published().items()))
    return (
        f"got benchmarks {', '.join(patterns)}, expected some that are made here and"
        f" their published counterparts, of {', '.join(_published())}: "
        f"--config.benchmarks=\"('{made}/*','{published}/*')\""
    )


def _family(pair: Pair) -> Pair:
    made, theirs = (name.partition("/")[0] for name in pair)
    return made, theirs


def _of(family: Pair, asked: Iterable[Pair]) -> list[Pair]:
    return [pair for pair in asked if _family(pair) == family]


def _total(name: Pair, found: cell_gaps.Gaps, asked: Sequence[Pair]) -> str:
    """Return what the gaps of some pairs come to."""
    verdict = cell_gaps.verdict(map(found.of, asked))
    mean = found.mean([pair for pair in asked if found.of(pair).compared])
    largest = verdict.largest
    return (
        f"{name[0]} less {name[1]}: {verdict.compared} of {len(asked)} pairs compared,"
        f" {verdict}; mean gap {_number(mean)}, largest {_number(largest.value)} in"
        f" {largest.name}"
    )


def _number(value: Value) -> str:
    if math.isnan(value.low):
        return f"{value.value:+.2f} [no interval]"
    return f"{value.value:+.2f} [{value.low:+.2f}, {value.high:+.2f}]"


def _marked(gap: Gap) -> str:
    return _number(gap.value) + ("*" if gap.excludes_0 else " ")


def _unpaired(gaps: Iterable[Gap]) -> list[str]:
    """Return why cells have no interval, a line for each reason."""
    reasons: dict[str, list[str]] = {}
    for gap in gaps:
        if gap.compared and not gap.is_paired:
            reasons.setdefault(gap.value.reason, []).append(gap.name)
    return [f"{reason}: {_listed(cells)}" for reason, cells in reasons.items()]


def _absent(asked: Iterable[Pair], cells: Mapping[str, Cell]) -> list[str]:
    """Return what lacks of the pairs, in one line; none if nothing does."""
    alone, neither = [], []
    for pair in asked:
        there = [name for name in pair if name in cells]
        alone += there if len(there) == 1 else []
        neither += [] if there else [pair[0]]
    parts = [
        f"measured on {side}: {_listed(found)}"
        for side, found in (("one side only", alone), ("neither side", neither))
        if found
    ]
    return ["; ".join(parts)] if parts else []


def _listed(found: Iterable[str]) -> str:
    """Return benchmarks as text: each corruption once, with its severities."""
    kinds: dict[str, list[str]] = {}
    for name in found:
        kind, _, severity = name.rpartition("/")
        kinds.setdefault(kind, []).append(severity)
    return ", ".join(f"{kind} ({' '.join(own)})" for kind, own in kinds.items())
