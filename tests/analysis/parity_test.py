"""Does the report show what was compared, and nothing where nothing was?"""

import dataclasses
import math
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from analysis import report_test, synthetic

from biases_jax import results
from biases_jax.analysis import figures, parity, run
from biases_jax.parity import (
    causes,
    comparison,
    differences,
    gates,
    images,
    runs,
    saved,
)

FEW = images.Images(("a", "b"), np.zeros((2, 4, 4, 3), np.float32))
ABOUT = {"framework": "jax", "device": "cpu", "libraries": {"jax": "0.10.2"}}


def row(precision="float32", relative=1e-6, **changes):
    difference = differences.Difference(1e-5, 2e-5, relative, 1.0, 3.0, 9.0, 10)
    compared = differences.Comparison(
        f"jax {precision}",
        "torch float64",
        precision,
        dict.fromkeys(runs.NAMES, difference),
        images=2,
        agree=2,
        margins=(),
        sign_flips=0.0,
        cosine=1.0,
        scale=1.0,
    )
    return comparison.Row(compared, **changes)


def result(model, *rows, verdict=causes.AGREES):
    about = {"here": ABOUT, "reference": {"torch float64": ABOUT}}
    return comparison.Result(model, "1a", "1a", verdict, rows, {}, about)


@pytest.fixture
def folder(tmp_path):
    fault = row(failures=("logits 2.0e-01",), cause=causes.POOL_PADDING)
    yardstick = dataclasses.replace(row(), yardstick=True)
    for found in (
        result("good", row("float64", 1e-14), row(), yardstick),
        result("<bad>", fault, verdict=causes.POOL_PADDING),
        result("other", verdict=causes.WEIGHTS),
    ):
        # A model's name is a folder's, so a file's, too: no slashes, but escaped.
        saved.write(tmp_path / "parity", found, FEW)
    return tmp_path / "parity"


def page_of(tmp_path, records):
    synthetic.fill(tmp_path / "results")
    return run.analyse(
        results.read(tmp_path / "results"),
        tmp_path / "records",
        tmp_path / "report",
        compared=records,
    )


def test_the_page_shows_numbers_verdicts_and_figures(tmp_path, folder):
    path = page_of(tmp_path, parity.read([folder]))
    checker = report_test.Checker(path.read_text())
    text = " ".join(checker.text)
    assert "Cross-framework parity" in text and "1 of 3 model(s) agree" in text
    assert f"{causes.POOL_PADDING} (logits 2.0e-01)" in text
    assert "yardstick" in text and causes.WEIGHTS in text and "2.0e-05" in text
    assert "<bad>" in text and "jax 0.10.2" in text
    assert len(set(checker.ids)) == len(checker.ids)
    for precision in ("float64", "float32"):
        link = f"figures/parity_{precision}.svg"
        assert link in checker.references and (path.parent / link).exists()


def test_the_analysis_alone_finds_what_lies_beside_the_results(tmp_path, folder):
    synthetic.fill(tmp_path / "results")
    flags = [f"--results={tmp_path}/results", f"--out={tmp_path}/report"]
    command = [sys.executable, "-m", "biases_jax.analysis", *flags]
    subprocess.run(command, check=True, capture_output=True)
    text = (tmp_path / "report" / "index.html").read_text()
    assert "1 of 3 model(s) agree" in text


def test_without_comparisons_there_is_no_section(tmp_path):
    path = page_of(tmp_path, parity.read([tmp_path / "parity"]))
    assert "parity" not in path.read_text()
    assert not list((path.parent / "figures").glob("parity*"))


def test_a_line_for_each_model_and_the_bounds_in_each_figure(folder):
    drawn = parity.draw(parity.read([folder]))
    assert [name for name, _, _ in drawn] == ["parity_float64", "parity_float32"]
    assert drawn == parity.draw(parity.read([folder]))
    for _, _, svg in drawn:
        assert ElementTree.fromstring(svg).tag.endswith("svg")
    bounds = {name: gates.bound(name, "bfloat16") for name in runs.NAMES}
    lines = {"a": {"conv1": 1e-3, "stem": 0.0}, "b": {"logits": 0.5}}
    [axis] = figures.deviations(lines, bounds, "relative").axes
    a, b, bound = axis.lines
    assert axis.get_yscale() == "log"
    assert a.get_ydata()[1] == 1e-3 and math.isnan(a.get_ydata()[2])
    assert b.get_ydata()[runs.NAMES.index("logits")] == 0.5
    assert math.isnan(bound.get_ydata()[-1])  # a bfloat16 gradient has no bound


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}'])
def test_damaged_files_are_refused_by_name(folder, content):
    (folder / "good.json").write_text(content)
    with pytest.raises(ValueError, match="good.json.*run --stage=parity again"):
        parity.read([folder])
