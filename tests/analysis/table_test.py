"""Tables hold what the rows hold, and nothing that they do not."""

import csv
import io
import math
import random

import numpy as np
import pytest
from analysis import synthetic

from biases_jax import proportions, ratios, results
from biases_jax.analysis import files, run, table
from biases_jax.types import Value


def long_of(folder, **options):
    return table.long(results.read(folder).rows(), run.summaries(), **options)


def line_of(long, model, benchmark, metric):
    [line] = [
        line
        for line in long.to_pylist()
        if (line["model"], line["benchmark"], line["metric"])
        == (model, benchmark, metric)
    ]
    return line


def test_every_cell_has_a_line_per_metric_with_wilson_intervals(tmp_path):
    synthetic.fill(tmp_path)
    long = long_of(tmp_path, categories={"a": "baseline"})
    line = line_of(long, "a", "natural/imagenet", "top1")
    assert (line["correct"], line["n"], line["value"]) == (150, 200, 75.0)
    expected = proportions.wilson(150, 200)
    assert (line["low"], line["high"]) == (expected.low, expected.high)
    assert line["family"] == "natural" and line["condition"] == "imagenet"
    assert line["category"] == "baseline" and line["precision"] == "float32"
    assert line["weights_sha256"] == "weights of a" and line["seed"] == 0
    assert len(line["fingerprint"]) == 64
    cells = [line for line in long.to_pylist() if line["correct"] is not None]
    assert len(cells) == 2 * 2 * len(synthetic.BENCHMARKS)
    assert line_of(long, "b", "natural/imagenet", "top5")["value"] == 100.0


def test_wilson_has_its_closed_form():
    n, k, z = 200, 150, 1.959963984540054
    p = k / n
    centre = (p + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    value = proportions.wilson(k, n)
    # 1e-9: rounding of a dozen float64 operations on numbers below 100.
    assert value.low == pytest.approx(100 * (centre - half), abs=1e-9)
    assert value.high == pytest.approx(100 * (centre + half), abs=1e-9)


def test_the_paper_s_numbers_are_derived_of_all_cells_of_a_model(tmp_path):
    synthetic.fill(tmp_path)
    line = line_of(long_of(tmp_path), "a", "spectral", "lpp")
    hits = [synthetic.top1("a", f"spectral/low_pass/0.{i}") / 150 for i in range(1, 6)]
    # 1e-12: a mean of five float64 ratios.
    assert line["value"] == pytest.approx(np.mean(hits), rel=1e-12)
    assert line["n"] == 200 and line["correct"] is None
    assert line["reason"] == ratios.NO_INTERVAL  # there are no records


@pytest.mark.parametrize(
    "absent", ["spectral/low_pass/0.3", "natural/imagenet", "spectral/high_pass/0.99"]
)
def test_a_missing_cell_is_never_averaged_away(tmp_path, absent):
    left = [name for name in synthetic.BENCHMARKS if name != absent]
    synthetic.fill(tmp_path, benchmarks=left)
    long = long_of(tmp_path)
    line = line_of(long, "a", "spectral", "lpp")
    needed = absent != "spectral/high_pass/0.99"
    assert math.isnan(line["value"]) == needed
    assert (absent in line["reason"]) == needed
    wide = table.wide(long)
    ratio = "metric/bandpass/LFC/0.3"
    assert (ratio in wide.column_names) == (absent == "spectral/high_pass/0.99")
    assert ("top1_acc/imagenet" in wide.column_names) == (absent != "natural/imagenet")


def test_one_models_missing_cell_is_an_empty_cell_of_the_wide_table(tmp_path):
    synthetic.fill(tmp_path)
    absent = "spectral/low_pass/0.99"
    left = [name for name in synthetic.BENCHMARKS if name != absent]
    synthetic.fill(tmp_path, models=("c",), benchmarks=left)
    wide = table.wide(long_of(tmp_path))
    lines = {line["model"]: line for line in wide.to_pylist()}
    name = "metric/bandpass/LFC/0.99"
    assert lines["c"][name] is None and lines["a"][name] > 0
    files.write_csv(wide, tmp_path / "wide.csv")
    [line] = [
        line
        for line in csv.DictReader(io.StringIO((tmp_path / "wide.csv").read_text()))
        if line["model"] == "c"
    ]
    assert line[name] == "" and line["top1_acc/imagenet"] == "70.0"


def test_the_wide_table_has_the_authors_columns(tmp_path):
    synthetic.fill(tmp_path)
    wide = table.wide(long_of(tmp_path))
    cutoffs = ["0.01", *(f"0.{i}" for i in range(1, 10)), "0.99"]
    assert wide.column_names == [
        "model",
        "top1_acc/imagenet",
        *(f"metric/bandpass/LFC/{c}" for c in cutoffs),
        *(f"metric/bandpass/HFC/{c}" for c in cutoffs),
        "spectral/bias",
        "spectral/bias_clean",
        "spectral/hpp",
        "spectral/hpp_clean",
        "spectral/hpp_corrected",
        "spectral/lpp",
        "spectral/lpp_clean",
        "spectral/lpp_corrected",
    ]
    [a, b] = wide.to_pylist()
    assert (a["model"], a["top1_acc/imagenet"]) == ("a", 75.0)
    ratio = synthetic.top1("b", "spectral/high_pass/0.7") / 140
    assert b["metric/bandpass/HFC/0.7"] == pytest.approx(ratio, rel=1e-12)  # rounding


def test_a_model_whose_cells_mix_numerics_gets_no_derived_numbers(tmp_path):
    store = synthetic.fill(tmp_path)
    other = synthetic.header("a", "natural/imagenet", precision="bfloat16")
    store.append([other], synthetic.blocks(other))
    long = long_of(tmp_path)
    line = line_of(long, "a", "spectral", "lpp")
    assert math.isnan(line["value"]) and "bfloat16, float32" in line["reason"]
    assert line_of(long, "a", "natural/imagenet", "top1")["value"] == 75.0
    assert line_of(long, "b", "spectral", "lpp")["value"] > 0


def test_tables_are_byte_equal_for_any_order_of_blocks_and_any_number_of_runs(tmp_path):
    synthetic.fill(tmp_path / "once" / "results")
    rng = random.Random(0)
    cells = [synthetic.header(m, b) for m in "ab" for b in synthetic.BENCHMARKS]
    parts = [(cell, block) for cell in cells for block in synthetic.blocks(cell)]
    rng.shuffle(parts)
    stores = [
        results.ResultsStore(tmp_path / "shuffled" / "results", {"run": i})
        for i in range(3)
    ]
    for cell, block in [*parts, *parts[:20]]:  # some measured twice
        rng.choice(stores).append([cell], [block])
    for name in ("once", "shuffled"):
        folder = tmp_path / name
        journal = results.read(folder / "results")
        run.analyse(journal, folder / "records", folder / "report")
    for name in ("wide.csv", "long.csv", "long.parquet", "figures/band_pass.svg"):
        once = (tmp_path / "once" / "report" / name).read_bytes()
        assert once and once == (tmp_path / "shuffled" / "report" / name).read_bytes()


def test_a_family_can_read_the_records_of_its_cells(tmp_path):
    cell = synthetic.header("a", "natural/imagenet")
    file = synthetic.write_records(tmp_path / "records", cell)
    store = results.ResultsStore(tmp_path / "results", synthetic.RUN)
    store.append([cell], synthetic.blocks(cell, (0, synthetic.N), file))

    def summarize(cells):
        records = cells["natural/imagenet"].records()
        return {"natural/margin": Value(float(np.mean(records["margin"])), n=200)}

    rows = store.rows()
    long = table.long(rows, {"natural": summarize}, tmp_path / "records")
    assert line_of(long, "a", "natural", "margin")["value"] == 1.0


def test_no_rows_give_empty_tables(tmp_path):
    long = table.long([], run.summaries())
    assert len(long) == 0 and table.wide(long).column_names == ["model"]


def test_numbers_are_written_in_full_and_nan_as_nothing():
    assert files.text(0.1 + 0.2) == "0.30000000000000004"
    assert files.text(math.nan) == "" == files.text(None)
    assert (files.text(3), files.text("a")) == ("3", "a")


def test_numbers_of_benchmarks_that_nobody_measured_are_left_out(tmp_path):
    synthetic.fill(tmp_path)
    names = {line["benchmark"] for line in long_of(tmp_path).to_pylist()}
    assert "natural/imagenet" in names
    assert "natural/imagenet_sketch" not in names and "spectral" in names


def test_a_number_that_only_some_models_have_stays_with_its_reason(tmp_path):
    synthetic.fill(tmp_path)
    rows = results.read(tmp_path).rows()
    gone = ("a", "spectral/low_pass/0.1")
    rows = [row for row in rows if (row.model, row.benchmark) != gone]
    line = line_of(table.long(rows, run.summaries()), *gone, "ratio")
    assert line["reason"] == "not measured: spectral/low_pass/0.1"
