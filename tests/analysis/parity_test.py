"""Does the report show what was compared, and nothing where nothing was?"""

import dataclasses
import json
import math
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from analysis import report_test, synthetic

from biases_jax import results
from biases_jax.analysis import parity, run
from biases_jax.analysis.figures import curves
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
    [axis] = curves.deviations(lines, bounds, "relative").axes
    a, b, bound = axis.lines
    assert axis.get_yscale() == "log"
    assert a.get_ydata()[1] == 1e-3 and math.isnan(a.get_ydata()[2])
    assert b.get_ydata()[runs.NAMES.index("logits")] == 0.5
    assert math.isnan(bound.get_ydata()[-1])  # a bfloat16 gradient has no bound


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "damaged (JSONDecodeError"),
        ("[]", "damaged (TypeError"),
        ('{"format": 99}', "of format 99, not 1"),
        ('{"format": 1, "rows": [{}]}', "damaged (KeyError"),
    ],
)
def test_a_damaged_file_costs_its_own_line_only(tmp_path, folder, content, why):
    (folder / "good.json").write_text(content)
    path = page_of(tmp_path, parity.read([folder]))
    text = " ".join(report_test.Checker(path.read_text()).text)
    assert f"not known: good.json is {why}" in text
    assert "0 of 3 model(s) agree" in text and causes.WEIGHTS in text


def test_what_is_not_finite_is_null_in_the_file_and_told_on_the_page(tmp_path):
    failed = row(relative=math.nan, failures=("logits nan",), cause="not finite")
    path = saved.write(tmp_path, result("good", failed, verdict="not finite"), FEW)

    def refuse(constant):
        raise AssertionError(constant)

    json.loads(path.read_text(), parse_constant=refuse)
    records = parity.read([tmp_path])
    drawn = parity.draw(records)
    text = " ".join(report_test.Checker(parity.section(records, drawn)).text)
    assert "not finite" in text and "0 of 1 model(s) agree" in text


def test_records_of_earlier_weights_do_not_agree(tmp_path, folder):
    records = parity.read([folder])
    same = parity.of_weights(records, {"good": "1a"})
    assert same == records
    marked = parity.of_weights(records, {"good": "2b", "<bad>": "1a"})
    section = parity.section(marked, parity.draw(marked))
    assert "0 of 3 model(s) agree" in section and parity.EARLIER in section
    assert not parity.draw([r for r in marked if r["model"] == "good"])


def test_the_page_compares_the_weights_with_those_of_rows_and_manifests(
    tmp_path, folder
):
    synthetic.fill(tmp_path / "results")
    journal = results.read(tmp_path / "results")
    [record] = [r for r in parity.read([folder]) if r["agrees"]]
    record["model"] = journal.verdicts()[0].model
    places = (tmp_path / "records", tmp_path / "report")
    for found, told in (("1a", False), ("2b", True)):
        manifest = {"model": record["model"], "weights_sha256": found, "stem_stride": 2}
        known = parity.weights(journal.verdicts(), [manifest])
        assert known[record["model"]] == found
        assert (parity.of_weights([record], known)[0]["agrees"]) is not told
    path = run.analyse(journal, *places, compared=[record])
    assert parity.EARLIER in path.read_text()  # the rows are of other weights


def test_who_read_the_file_in_torchs_place_is_told(tmp_path):
    about = {"here": ABOUT, "reference": {"torch": ABOUT | {"file_read_by": "ours"}}}
    found = dataclasses.replace(result("good", row()), about=about)
    saved.write(tmp_path, found, FEW)
    assert "agrees (file read by ours)" in parity.section(parity.read([tmp_path]), ())
