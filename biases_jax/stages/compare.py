"""Do two runs, or two models, decide differently on the same examples?"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from biases_jax import columns, examples, paired, scored, usage
from biases_jax.rows import Row
from biases_jax.settings import DONE
from biases_jax.stages import sides
from biases_jax.stages.request import Request
from biases_jax.types import Value

# Of a cell's provenance, what makes two measurements different ones.
NUMERICS = (
    "precision",
    "seed",
    "preprocessing",
    "benchmark_repr",
    "revision",
    "source_sha256",
)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Two cells, joined on the `n` examples that both score.

    `lost` are right in the first only, `gained` in the second only, `changed` have
    another predicted class, right or wrong; `alone` examples only one side scores.
    `unscored` examples are neither right nor wrong in the first, as those of other
    classes in a clean twin; they are in no other number. `difference` is second minus
    first accuracy in percentage points. `mixed` says which numerics differ.
    """

    models: tuple[str, str]
    benchmark: str
    n: int
    alone: int
    unscored: int
    lost: int
    gained: int
    changed: int
    p: float
    difference: Value
    mixed: str

    @property
    def flip_rate(self) -> float:
        """The share of the n examples that changed between right and wrong."""
        return (self.lost + self.gained) / self.n


def run(request: Request) -> int:
    """Compare what `--compare` names; return the exit code.

    Raises:
        app.UsageError: they cannot be compared; the message says why.
    """
    settings = request.settings
    try:
        first, second = sides.parse(settings.compare, settings.workdir)
        compare(first, second, settings.allow_mixed_numerics)
    except (FileNotFoundError, ValueError) as error:
        raise usage.error(error) from error
    return DONE


def compare(
    first: sides.Side, second: sides.Side, allow_mixed_numerics: bool = False
) -> list[Comparison]:
    """Join the records of all cells that both sides have; print and return.

    Raises ValueError if there are none, or if their numerics differ (precision, seed,
    preprocessing, benchmark, device kind) and `allow_mixed_numerics` is not set.
    """
    pairs = sides.pairs(first, second)
    found = {_cell(*pair): differing(*pair) for pair in pairs}
    refused = {cell: fields for cell, fields in found.items() if fields}
    if refused and not allow_mixed_numerics:
        cell, fields = next(iter(refused.items()))
        names = sorted({name for fields in refused.values() for name in fields})
        raise ValueError(
            f"{len(refused)} of {len(pairs)} cells were measured with another"
            f" {', '.join(names)} ({cell}: {described(fields)}); measure both alike, or"
            " add --allow_mixed_numerics to see what that changes"
        )
    comparisons = [_compare(first, second, *pair) for pair in pairs]
    print(table(comparisons, first, second))
    return comparisons


def differing(a: Row, b: Row) -> dict[str, tuple[Any, Any]]:
    """Return the numerics in which two rows differ: name to both values."""
    found = {}
    for name in NUMERICS:
        values = (a.provenance.get(name), b.provenance.get(name))
        if values[0] != values[1]:
            found[name] = values
    kinds = (_device_kinds(a), _device_kinds(b))
    return found if kinds[0] == kinds[1] else found | {"device_kind": kinds}


def described(fields: Mapping[str, tuple[Any, Any]]) -> str:
    """Return differing fields as text."""
    return ", ".join(f"{name} {a} / {b}" for name, (a, b) in fields.items())


def table(
    comparisons: Sequence[Comparison], first: sides.Side, second: sides.Side
) -> str:
    """Return the comparisons as text in columns, and what to know to read them."""
    header = ("model", "benchmark", "n", "lost", "gained", "flips", "changed", "p")
    lines = [(*header, "difference", "95 % interval")]
    for c in comparisons:
        model = c.models[0] if c.models[0] == c.models[1] else " / ".join(c.models)
        numbers = (f"{x}" for x in (c.n, c.lost, c.gained))
        d = c.difference
        interval = f"[{d.low:+.3f}, {d.high:+.3f}]"
        rest = (f"{c.flip_rate:.3%}", f"{c.changed}", f"{c.p:.3g}", f"{d.value:+.3f}")
        lines.append((model, c.benchmark, *numbers, *rest, interval))
    notes = [
        f"first: {first}; second: {second}",
        "n: examples that both score; lost: right in the first only; gained: right in"
        " the second only; changed: another class, right or wrong; p: exact McNemar;"
        " difference: second minus first, percentage points",
    ]
    notes += [
        f"{c.benchmark}: {c.alone} examples unpaired" for c in comparisons if c.alone
    ]
    unscored = {c.benchmark: c for c in comparisons if c.unscored}
    notes += [
        f"{name}: {c.unscored} examples are not scored, by its definition"
        for name, c in unscored.items()
    ]
    mixed = dict.fromkeys(c.mixed for c in comparisons if c.mixed)
    notes += [f"mixed numerics: {text}" for text in mixed]
    return "\n".join([columns.aligned(lines), *notes])


def _cell(a: Row, b: Row) -> str:
    return f"{' / '.join(dict.fromkeys((a.model, b.model)))} on {a.benchmark}"


def _device_kinds(row: Row) -> str:
    return ", ".join(sorted({str(run.get("device_kind")) for run in row.runs}))


def _scored(side: sides.Side, row: Row) -> pa.Table:
    """Return the records of the examples that count as right or wrong."""
    records = examples.load(side.workdir / "records", row)
    return records.filter(scored.scored(row, records, side.workdir / "sources"))


def _compare(first: sides.Side, second: sides.Side, a: Row, b: Row) -> Comparison:
    one, other = _scored(first, a), _scored(second, b)
    ids, i, j = np.intersect1d(
        one["id"].to_numpy(), other["id"].to_numpy(), True, return_indices=True
    )
    if not len(ids):
        raise ValueError(f"{_cell(a, b)}: the two sides share no scored example")
    right = one["correct"].to_numpy()[i], other["correct"].to_numpy()[j]
    classes = one["predicted"].to_numpy()[i], other["predicted"].to_numpy()[j]
    lost = int((right[0] & ~right[1]).sum())
    gained = int((~right[0] & right[1]).sum())
    return Comparison(
        models=(a.model, b.model),
        benchmark=a.benchmark,
        n=len(ids),
        alone=len(one) + len(other) - 2 * len(ids),
        unscored=a.n_expected - len(one),
        lost=lost,
        gained=gained,
        changed=int((classes[0] != classes[1]).sum()),
        p=paired.mcnemar(lost, gained),
        difference=paired.difference(lost, gained, len(ids)),
        mixed=described(differing(a, b)),
    )
