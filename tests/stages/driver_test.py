"""Do the stages tell what is wrong, and only of what was asked for?"""

import dataclasses
import json
import pathlib
import sys

import pytest
from absl import app

from biases_jax.config import EvaluateConfig
from biases_jax.models import functions
from biases_jax.processes import Process
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import driver, evaluate, status


def in_its_folder(request):
    """Return the folder of images that a run has, where `prepare` makes them."""
    return str(request.settings.workdir / "images")


def run(request, *stages, **changes):
    config = dataclasses.replace(request.config, **changes)
    return driver.run(
        dataclasses.replace(request.settings, config=config, stages=stages)
    )


def test_all_stages_lead_to_a_report(small, capsys):
    assert run(small, "convert", "evaluate", "analyse", "status") == DONE
    assert (small.report / "index.html").exists()
    assert str(small.report / "index.html") in capsys.readouterr().out


def test_models_that_were_asked_for_and_are_not_there_are_missed(small, capsys):
    assert run(small, "evaluate", "analyse") == DONE
    more = (*small.config.models, "gone=nothere.pth")
    for stages in (("convert",), ("analyse",), ("status",)):
        assert run(small, *stages, models=more) == INCOMPLETE
    assert "2 of the cells asked for are not complete: gone" in capsys.readouterr().out


def test_cells_that_are_no_longer_asked_for_do_not_make_a_run_incomplete(
    small, tmp_path
):
    broken = (
        (tmp_path / "colour_models.py").read_text().replace("2 *", "float('nan') *")
    )
    (tmp_path / "broken_models.py").write_text(broken)
    models = ("a=colour_models:first", "b=broken_models:second")
    assert run(small, "evaluate", "analyse", models=models) == INCOMPLETE
    assert run(small, "evaluate", "analyse", models=models[:1]) == DONE


def test_a_failed_conversion_is_not_measured_with_earlier_weights(small, caplog):
    small.failed["b"] = "damaged"
    assert evaluate.run(small) == INCOMPLETE
    assert status.status(small.results) == DONE  # of a, nothing of b was begun
    assert len(evaluate.identities(small)) == 1


def test_corrupt_images_are_not_reported_once_all_is_complete(small):
    small.sources.mkdir(parents=True)
    stale = small.sources / f"imagenet.1{evaluate.CORRUPT}"  # of another process
    cells = [[r.name, b.name] for r in small.references for b in small.benchmarks]
    listed = {"source": "imagenet", "corrupt": [["x.jpeg", "cut"]], "cells": cells}
    stale.write_text(json.dumps(listed))
    assert run(small, "evaluate", "analyse") == DONE
    assert "x.jpeg" not in (small.report / "index.html").read_text()
    more = (*small.config.models, "gone=nothere.pth")
    assert run(small, "analyse", models=more) == INCOMPLETE
    assert "x.jpeg" not in (small.report / "index.html").read_text()


@pytest.mark.parametrize(
    "changes", [{"seed": 3}, {"precision": "bfloat16"}, {"code": "3 *"}]
)
def test_numbers_of_other_settings_or_weights_are_not_what_was_asked_for(
    small, tmp_path, changes
):
    assert run(small, "evaluate", "analyse", "status") == DONE
    if "code" in changes:
        path = tmp_path / "colour_models.py"
        path.write_text(path.read_text().replace("2 *", changes["code"]))
        sys.modules.pop("colour_models")
        functions.call.cache_clear()
        changes = {}
    for stage in ("status", "analyse"):
        assert run(small, stage, **changes) == INCOMPLETE


def test_a_damaged_results_file_is_a_message(small, caplog):
    assert run(small, "evaluate") == DONE
    (journal,) = small.results.glob("*.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join([lines[0], "{broken\n", *lines[1:]]))
    for stage in ("evaluate", "analyse", "status", "plan"):
        assert run(small, stage) == INCOMPLETE
    assert journal.name in caplog.text
    log = (small.logs / "0.log").read_text()
    assert "Traceback" in log  # for whoever mends the program


def test_analysing_nothing_is_a_message(small, caplog):
    assert run(small, "analyse") == INCOMPLETE
    assert "stage analyse failed" in caplog.text


@pytest.mark.parametrize("stage", ["plan", "status", "compare", "corruption_parity"])
def test_stages_that_only_look_leave_no_trace(small, stage, monkeypatch):
    monkeypatch.setattr("biases_jax.stages.plan._probe", lambda request: 1.0)
    try:
        inside = in_its_folder(small)
        run(small, stage, prepare="small_study:prepare", data_dir=inside)
    except app.UsageError:
        assert stage not in ("plan", "status")  # nothing to compare was named
    workdir = pathlib.Path(small.settings.workdir)
    assert [path for path in workdir.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": ("no_such_model",)}, "no_such_model"),
        ({"benchmarks": ("nothing/*",)}, "nothing"),
        ({"seed": -1}, "seed"),
        ({"prepare": "no_such_module:f"}, "no_such_module"),
        ({"prepare": "small_study:nothing"}, "nothing"),
        ({"prepare": "builtins:abs"}, "TypeError"),
    ],
)
def test_wrong_settings_are_usage_errors(small, changes, message):
    inside = {"data_dir": in_its_folder(small)} if "prepare" in changes else {}
    with pytest.raises(app.UsageError, match=message) as caught:
        run(small, "evaluate", **changes, **inside)
    assert caught.value.exitcode == 2


def test_a_folder_that_cannot_be_written_is_a_usage_error(small):
    small.settings.workdir.parent.mkdir(parents=True, exist_ok=True)
    small.settings.workdir.write_text("a file")
    with pytest.raises(app.UsageError):
        run(small, "evaluate")


def test_only_the_leader_prepares(small, monkeypatch):
    called = []
    monkeypatch.setattr("small_study.prepare", called.append)
    for index in (0, 1):
        process = Process(index, 2, linked=True)
        config = EvaluateConfig(
            prepare="small_study:prepare", data_dir=in_its_folder(small)
        )
        settings = dataclasses.replace(small.settings, process=process, config=config)
        driver.prepare(dataclasses.replace(small, settings=settings))
    assert called == [small.settings.workdir]


@pytest.fixture
def prepared(small, monkeypatch):
    """A list that grows with each call of the run's `prepare`, which makes nothing."""
    called = []
    monkeypatch.setattr("small_study.prepare", called.append)
    return called


@pytest.mark.parametrize(
    ("stages", "count"),
    [
        (("convert",), 0),
        (("analyse",), 0),
        (("parity",), 0),
        (("convert", "analyse"), 0),
        (("plan",), 0),
        (("evaluate",), 1),
        (("convert", "evaluate", "analyse"), 1),
    ],
)
def test_images_are_made_where_they_are_evaluated(
    small, prepared, monkeypatch, stages, count
):
    for name in stages:
        monkeypatch.setitem(driver.STAGES, name, lambda request: DONE)
    inside = in_its_folder(small)
    assert run(small, *stages, prepare="small_study:prepare", data_dir=inside) == DONE
    assert prepared == [small.settings.workdir] * count


@pytest.mark.parametrize(
    ("place", "count"),
    [
        ("{workdir}/world", 1),
        ("{workdir}", 1),
        ("{workdir}/../world", 0),
        ("{workdir}-other/world", 0),
        ("elsewhere", 0),
        ("", 0),
    ],
)
def test_images_that_lie_elsewhere_are_not_made(
    small, prepared, monkeypatch, place, count
):
    monkeypatch.setitem(driver.STAGES, "evaluate", lambda request: DONE)
    run(small, "evaluate", prepare="small_study:prepare", data_dir=place)
    assert len(prepared) == count


def test_a_relative_folder_of_the_run_is_known(small, prepared, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(driver.STAGES, "evaluate", lambda request: DONE)
    run(small, "evaluate", prepare="small_study:prepare", data_dir="run/world")
    assert len(prepared) == 1
