"""Which numbers are derived of several models' answers, beside each model's cells?"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pyarrow as pa

from biases_jax.analysis import mixture, table
from biases_jax.rows import Row
from biases_jax.types import Value


class Derived(NamedTuple):
    """A number of one model, `name` being benchmark + '/' + metric.

    `rows` are those of the model that it is derived of.
    """

    name: str
    value: Value
    rows: Sequence[Row]


def with_values(
    long: pa.Table, derived: Sequence[Derived], rows: Sequence[Row]
) -> pa.Table:
    """Return the long table with further lines, in its order.

    Where cells of the model may not be combined, the numbers are NaN, as all derived
    ones are.

    Args:
        long: `table.long`.
        derived: what is not in it yet.
        rows: all complete cells.
    """
    models = {found.rows[0].model for found in derived}
    own = {m: [row for row in rows if row.model == m] for m in models}
    reasons = {model: mixture.reason(own[model]) for model in models}
    known = (long[column].to_pylist() for column in ("model", "category"))
    categories = dict(zip(*known, strict=True))
    lines = []
    for found in derived:
        model, value = found.rows[0].model, found.value
        if reasons[model]:
            value = Value(math.nan, n=value.n, reason=reasons[model])
        benchmark, _, metric = found.name.rpartition("/")
        line = table.line_of(benchmark, metric, value, found.rows)
        lines.append({**line, "model": model, "category": categories[model]})
    added = pa.Table.from_pylist(lines, table.SCHEMA)
    order = [(column, "ascending") for column in ("model", "benchmark", "metric")]
    return pa.concat_tables([long, added]).sort_by(order)
