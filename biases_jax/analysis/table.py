"""Which numbers do the rows hold: one a line, or one model a line?

Both tables are functions of the rows alone: which runs made them, how long they took
and in how many pieces leaves no trace (`provenance.py` has that).
"""

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import pyarrow as pa

from biases_jax import model_cells, proportions
from biases_jax.analysis import authors_columns, expected, mixture
from biases_jax.rows import Row
from biases_jax.types import Cell, Value

Summarize = Callable[[Mapping[str, Cell]], Mapping[str, Value]]
Line = dict[str, str | int | float | None]

SHARED = (
    "source",
    "preprocessing",
    "precision",
    "seed",
    "weights_sha256",
    "source_sha256",
)
SCHEMA = pa.schema(
    {
        "model": pa.string(),
        "category": pa.string(),
        "family": pa.string(),
        "benchmark": pa.string(),
        "condition": pa.string(),
        "metric": pa.string(),
        "value": pa.float64(),
        "low": pa.float64(),
        "high": pa.float64(),
        "n": pa.int64(),
        "correct": pa.int64(),
        "published": pa.float64(),
        "inside": pa.bool_(),
        "expected": pa.string(),
        "source": pa.string(),
        "preprocessing": pa.string(),
        "precision": pa.string(),
        "seed": pa.int64(),
        "weights_sha256": pa.string(),
        "source_sha256": pa.string(),
        "fingerprint": pa.string(),
        "reason": pa.string(),
    }
)


def long(
    rows: Sequence[Row],
    families: Mapping[str, Summarize],
    records: str | os.PathLike = "",
    categories: Mapping[str, str] | None = None,
    manifests: str | os.PathLike = "",
) -> pa.Table:
    """Return one line per number: of cells (percent) and derived from them.

    `families` maps a family to its `summarize`, which is given all complete cells of
    one model (its own and, say, the clean accuracy) if one of them is of the family;
    `records` and `manifests` are where their per-example records and the sources' lists
    of examples lie. `published`, `inside` and
    `expected` compare a top-1 with the study's. Numbers of benchmarks that no model was
    measured on are left out. Sorted by model, benchmark and metric.
    """
    categories = categories or {}
    lines: dict[tuple, Line] = {}
    for model in sorted({row.model for row in rows}):
        own = [row for row in rows if row.model == model]
        for line in (*_measured(own), *_derived(own, families, records, manifests)):
            line |= {"model": model, "category": categories.get(model, "")}
            lines.setdefault((model, line["benchmark"], line["metric"]), line)
    measured = {row.benchmark for row in rows}
    ordered = [lines[key] for key in sorted(lines) if _asked(lines[key], measured)]
    return pa.Table.from_pylist(ordered, SCHEMA)


def wide(table: pa.Table) -> pa.Table:
    """Return one line per model with the authors' column names, from the long table.

    Accuracies and rates are in percent, `metric/bandpass/...`, `shape-bias` and all
    other biases are fractions, `metric/criticalband/...` octaves, cycles per image and
    a ratio of noise.
    A number that is absent or NaN is null: never 0, and never made up from the others.
    Columns that no model has are left out, as are numbers of single conditions.
    """
    columns: dict[tuple[int, str], dict[str, float]] = {}
    for line in table.to_pylist():
        column = authors_columns.column(f"{line['benchmark']}/{line['metric']}")
        if column.name and not math.isnan(line["value"]):
            cells = columns.setdefault((column.rank, column.name), {})
            cells[line["model"]] = line["value"] * column.unit
    models = sorted(set(table["model"].to_pylist()))
    data = {"model": pa.array(models, pa.string())}
    for rank, name in sorted(columns):
        cells = columns[rank, name]
        data[name] = pa.array([cells.get(model) for model in models], pa.float64())
    return pa.table(data)


def value_of(line: Mapping) -> Value:
    """Return the `Value` that a line of the long table holds."""
    names = ("value", "low", "high", "n", "reason")
    return Value(**{name: line[name] for name in names})


def line_of(benchmark: str, metric: str, value: Value, rows: Sequence[Row]) -> Line:
    """Return the line of a number of one model, which its caller names.

    `rows` are what it is of; the line says what they have in common.
    """
    family, _, condition = benchmark.partition("/")
    return {
        "family": family,
        "benchmark": benchmark,
        "condition": condition,
        "metric": metric,
        "value": float(value.value),
        "low": float(value.low),
        "high": float(value.high),
        "n": int(value.n),
        "reason": value.reason,
        **{field: _common(rows, field) for field in SHARED},
    }


def _asked(line: Line, measured: Collection[str]) -> bool:
    """Return whether a line says more than that nobody asked for its benchmark."""
    _, told, absent = str(line["reason"]).rpartition(proportions.NOT_MEASURED)
    first = absent.split(", ")[0]
    unasked = told and first not in measured
    return not (unasked and f"{line['benchmark']}/".startswith(f"{first}/"))


def _measured(rows: Sequence[Row]) -> Iterator[Line]:
    for row in rows:
        n = proportions.trials(row.sums)
        for metric in proportions.RATES:
            if metric in row.sums:
                value = proportions.wilson(row.sums[metric], n)
                yield {
                    **line_of(row.benchmark, metric, value, [row]),
                    **(_compared(row, n) if metric == "top1" else {}),
                    "correct": row.sums[metric],
                    "fingerprint": row.fingerprint,
                }


def _compared(row: Row, n: int) -> Line:
    verdict = expected.judge(row.model, row.benchmark, row.sums["top1"], n)
    return {
        "published": verdict.published,
        "inside": verdict.inside,
        "expected": verdict.text,
    }


def _derived(
    rows: Sequence[Row],
    families: Mapping[str, Summarize],
    records: str | os.PathLike,
    manifests: str | os.PathLike,
) -> Iterator[Line]:
    cells = model_cells.of(rows, records, manifests)
    reason = mixture.reason(rows)
    for family in sorted({_family(row.benchmark) for row in rows} & set(families)):
        own = [row for row in rows if _family(row.benchmark) == family]
        for name, value in families[family](cells).items():
            if reason:
                value = Value(math.nan, n=value.n, reason=reason)
            benchmark, _, metric = name.rpartition("/")
            yield line_of(benchmark, metric, value, own)


def _common(rows: Sequence[Row], field: str) -> str | int | None:
    """Return what all rows have in common, None if they differ."""
    found = {row.provenance.get(field) for row in rows}
    return found.pop() if len(found) == 1 else None


def _family(benchmark: str) -> str:
    return benchmark.partition("/")[0]
