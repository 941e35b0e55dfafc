"""Does the plan count what the run will do?"""

import dataclasses

from etils import epath

from biases_jax.benchmark import Benchmark
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import evaluate, plan

EXAMPLES = 6  # of the fixture `small` (conftest.py)


def counts(output):
    """Return the printed numbers of the source by column."""
    head, line = output.splitlines()[:2]
    return dict(zip(head.split(), line.split(), strict=True))


def test_everything_is_missing_at_first(small, capsys, monkeypatch):
    monkeypatch.setattr(plan, "_probe", lambda request: 2.0)  # slow: a full network
    assert plan.run(small) == DONE
    output = capsys.readouterr().out
    assert counts(output) == {
        "source": "imagenet",
        "preprocessing": "pil_bilinear_256_224",
        "cells": "4",
        "missing": "4",
        "decodes": str(2 * EXAMPLES),  # one pass a model
        "forwards": str(4 * EXAMPLES),
    }
    assert "0:00:12" in output  # 24 forwards at 2 a second


def test_what_is_measured_is_not_planned_and_gives_the_rate(small, capsys):
    first = dataclasses.replace(small, references=small.references[:1])
    assert evaluate.run(first) == DONE
    assert plan.run(small) == DONE
    output = capsys.readouterr().out
    assert counts(output)["missing"] == "2"
    assert counts(output)["forwards"] == str(2 * EXAMPLES)
    assert "the rows of this folder" in output
    assert evaluate.run(small) == DONE
    plan.run(small)
    assert "nothing is missing" in capsys.readouterr().out


def test_a_plan_leaves_nothing_in_the_results(small, monkeypatch):
    monkeypatch.setattr(plan, "_probe", lambda request: 2.0)
    plan.run(small)
    assert list(small.results.glob("*.jsonl")) == []


def test_an_absent_source_is_named(small, caplog, capsys, tmp_path):
    (tmp_path / "images").rename(tmp_path / "elsewhere")
    assert plan.run(small) == INCOMPLETE
    assert "imagenet cannot be measured" in caplog.text
    output = capsys.readouterr().out
    assert output.endswith("nothing can be measured: no source is usable\n")


def test_what_cannot_be_measured_is_not_said_to_be_there(small, capsys):
    assert evaluate.run(small) == DONE
    absent = Benchmark("imagenet_a/x", "imagenet_a")
    more = dataclasses.replace(small, benchmarks=(*small.benchmarks, absent))
    assert plan.run(more) == INCOMPLETE
    output = capsys.readouterr().out
    assert output.endswith("nothing is missing of what can be measured\n")


def test_images_that_the_run_will_make_are_not_missed(small, capsys, caplog):
    made = str(small.settings.workdir / "world")
    config = dataclasses.replace(small.config, prepare="some:function", data_dir=made)
    settings = dataclasses.replace(small.settings, config=config)
    request = dataclasses.replace(small, settings=settings)
    assert plan.run(request) == INCOMPLETE
    said = f"nothing can be counted yet: the run itself makes its images, in {made}, w"
    assert capsys.readouterr().out.startswith(said)
    assert "cannot be measured" not in caplog.text
    epath.Path(made).mkdir(parents=True)  # begun, and without the set
    assert plan.run(request) == INCOMPLETE
    assert "imagenet cannot be measured" in caplog.text
