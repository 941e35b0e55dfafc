"""Do further numbers join the long table as if they had been in it?"""

import math

from analysis import synthetic

from biases_jax import results
from biases_jax.analysis import derived_lines, run, table
from biases_jax.types import Value


def long_of(rows):
    return table.long(rows, run.summaries(), categories={"a": "kind"})


def test_further_lines_stand_in_order_and_say_what_they_are_of(tmp_path):
    synthetic.fill(tmp_path)
    rows = results.read(tmp_path).rows()
    long = long_of(rows)
    own = [row for row in rows if row.model == "a"][:1]
    added = derived_lines.Derived("model_vs_human/edge/x", Value(0.5, n=3), own)
    found = derived_lines.with_values(long, [added], rows)
    lines = found.to_pylist()
    keys = [(x["model"], x["benchmark"], x["metric"]) for x in lines]
    assert keys == sorted(keys) and len(lines) == len(long) + 1
    assert found.schema == long.schema
    (line,) = [x for x in lines if x["benchmark"] == "model_vs_human/edge"]
    assert (line["model"], line["category"], line["family"]) == (
        *("a", "kind"),
        "model_vs_human",
    )
    assert (line["metric"], line["value"], line["n"]) == ("x", 0.5, 3)
    assert line["weights_sha256"] == "weights of a" and line["correct"] is None
    # Equal in every way but for NaN, which equals nothing.
    rest = [x for x in lines if x is not line]
    assert list(map(repr, rest)) == list(map(repr, long.to_pylist()))


def test_no_further_lines_change_nothing(tmp_path):
    synthetic.fill(tmp_path)
    rows = results.read(tmp_path).rows()
    long = long_of(rows)
    found = derived_lines.with_values(long, [], rows)
    assert list(map(repr, found.to_pylist())) == list(map(repr, long.to_pylist()))


def test_cells_that_may_not_be_combined_give_no_further_numbers(tmp_path):
    store = synthetic.fill(tmp_path, models=("a",), benchmarks=["natural/imagenet"])
    cell = synthetic.header("a", "spectral/low_pass/0.1", precision="bfloat16")
    store.append([cell], synthetic.blocks(cell))
    rows = results.read(tmp_path).rows()
    added = derived_lines.Derived("model_vs_human/x", Value(0.5, n=3), rows[:1])
    found = derived_lines.with_values(long_of(rows), [added], rows)
    (line,) = [x for x in found.to_pylist() if x["metric"] == "x"]
    assert math.isnan(line["value"]) and "mixed precision" in line["reason"]
