"""Does the matrix hold how models err together, and are their trials all there?"""

import csv
import dataclasses
import itertools
import math

import numpy as np
import pytest
from humans import study

from biases_jax.analysis import errors, humans
from biases_jax.humans import consistency, reference, trial_files


def beside(workdir, folder=None):
    rows = study.rows(workdir)
    return humans.beside(rows, workdir / "records", workdir / "sources", folder)


def block(matrix, name):
    lines = [line for line in matrix.to_pylist() if line["set"] == name]
    makers = [line["maker"] for line in lines]
    return makers, np.array([[line[m] for m in makers] for line in lines], float)


@pytest.mark.parametrize("field", errors.MATRICES.values())
def test_the_matrix_has_a_block_for_each_set_and_one_for_their_mean(tmp_path, field):
    observers = {"edge": 3, "contrast": 2}
    for name, number in observers.items():
        study.show(tmp_path / "data", name, observers=number)
        for model in "abc":
            study.measure(tmp_path, model, name)
    found = beside(tmp_path, tmp_path / "data")
    matrix = errors.matrix(found, field)
    assert matrix["set"].to_pylist() == ["edge"] * 7 + ["contrast"] * 6 + ["mean"] * 4
    assert matrix["sets"].to_pylist() == [1] * 13 + [2] * 4
    seen = [f"subject-0{number}" for number in (1, 2, 3)]
    assert matrix.column_names == ["set", "sets", "maker", *"abc", "people", *seen]
    blocks = []
    for one in found:
        makers, values = block(matrix, one.name)
        n = observers[one.name]
        assert makers == ["a", "b", "c", "people", *seen[:n]]
        np.testing.assert_array_equal(values, values.T)
        everyone = np.delete(np.arange(4 + n), 3)
        assert (np.diag(values)[everyone] == 1).all()
        people = trial_files.people(tmp_path / "data", one.name)
        them = consistency.with_people(one.name, one.answers.trials, people)
        np.testing.assert_array_equal(values[:3, 3], getattr(them, field))
        among = consistency.among_people(one.name, people)
        assert values[3, 3] == getattr(among, field)
        assert np.isnan(values[3, 4:]).all()
        shown = [one.answers.trials] * 3 + [people] * n
        lines = [0, 1, 2, *range(n)]
        for i, j in itertools.product(range(3 + n), repeat=2):
            # Each pair by itself.
            pair = [
                dataclasses.replace(shown[k], answers=shown[k].answers[[lines[k]]])
                for k in (i, j)
            ]
            alone = getattr(consistency.pairs(one.name, *pair), field)
            assert values[everyone[i], everyone[j]] == alone.item()
        blocks.append(values[:4, :4])
    # 1e-15: a mean of two.
    np.testing.assert_allclose(block(matrix, "mean")[1], sum(blocks) / 2, atol=1e-15)


def test_what_is_not_known_is_null_and_so_are_means_with_it(tmp_path):
    for name in ("edge", "silhouette"):
        study.measure(tmp_path, "a", name)
    study.measure(tmp_path, "b", "edge")
    matrix = errors.matrix(beside(tmp_path))
    for name, known in {"edge": 4, "silhouette": 1, "mean": 1}.items():
        makers, values = block(matrix, name)
        assert makers == ["a", "b", "people"]
        assert np.isfinite(values).sum() == known and values[0, 0] == 1
    assert math.isnan(block(matrix, "mean")[1][0, 1])


def test_all_trials_are_written_and_listed(tmp_path):
    study.measure(tmp_path, "my_net", "edge")
    study.measure(tmp_path, "my-net", "edge", "/sum")
    study.measure(tmp_path, "my_net", "rotation")
    out = tmp_path / "report"
    out.mkdir()
    links = errors.write(beside(tmp_path), out)
    assert links == [*errors.MATRICES, "trials/files.csv"]
    assert errors.MATRICES == {
        "error_consistency.csv": "error",
        "observed_consistency.csv": "observed",
    }
    listed = list(csv.DictReader((out / links[-1]).read_text().splitlines()))
    assert [(x["model"], x["subj"], x["set"], x["readout"]) for x in listed] == [
        ("my-net", "my-net", "edge", "sum"),
        ("my_net", "my-net-2", "edge", "mean"),
        ("my_net", "my-net-2", "rotation", "mean"),
    ]
    for line in listed:
        read = trial_files.read(
            line["set"], line["model"], [out / "trials" / line["file"]]
        )
        given = study.answered(line["model"], line["set"])
        order = [image for _, image, _ in study.names(line["set"])]
        places = [order.index(image) for image in read.images]
        np.testing.assert_array_equal(read.answers[0], given[places])


def test_ceilings_are_those_of_the_sets_that_people_saw(tmp_path):
    shown = {}
    for name, number in {"edge": 3, "contrast": 2, "rotation": 1}.items():
        shown[name] = study.show(tmp_path / "data", name, observers=number)
        study.measure(tmp_path, "a", name)
    study.measure(tmp_path, "a", "silhouette")
    out = tmp_path / "report"
    out.mkdir()
    assert errors.CEILINGS in errors.write(beside(tmp_path, tmp_path / "data"), out)
    lines = list(csv.DictReader((out / errors.CEILINGS).read_text().splitlines()))
    assert [(x["set"], x["sets"], x["observers"]) for x in lines] == [
        *(("edge", "1", "3"), ("contrast", "1", "2"), ("rotation", "1", "1")),
        ("mean", "3", ""),
    ]
    for line in lines[:2]:
        people = shown[line["set"]]
        pairs = consistency.among_people(line["set"], people).error
        halves = consistency.between_halves(line["set"], people)
        assert (float(line["pairs"]), float(line["halves"])) == (pairs, halves)
    assert lines[0]["published_pairs"] == str(reference.SETS["edge"].error_consistency)
    for line in lines[2:]:  # of one observer there is no pair; of few sets, no mean
        assert (line["pairs"], line["halves"]) == ("", "")
    assert lines[3]["published_pairs"] == ""


@pytest.mark.parametrize("lacking", [0, 1])
def test_the_mean_of_the_ceilings_is_of_all_seventeen_sets(tmp_path, lacking):
    for name in list(reference.SETS)[lacking:]:
        study.show(tmp_path / "data", name, each=1)
        study.measure(tmp_path, "a", name, each=1)
    *lines, mean = errors.ceilings(beside(tmp_path, tmp_path / "data")).to_pylist()
    assert (mean["set"], mean["sets"]) == ("mean", 17 - lacking)
    for column in ("pairs", "halves", "published_pairs"):
        if lacking:
            assert mean[column] is None
        else:  # 1e-12: a sum of 17
            found = np.mean([line[column] for line in lines])
            assert mean[column] == pytest.approx(found, abs=1e-12)


def test_without_answers_nothing_is_written(tmp_path):
    study.measure(tmp_path, "a", "edge", kept=False)
    assert errors.write(beside(tmp_path), tmp_path) == []
    assert errors.write([], tmp_path) == []
    assert not list(tmp_path.glob("*.csv")) and not (tmp_path / "trials").exists()


@pytest.mark.parametrize("folder", [None, "data"])
def test_a_set_whose_conditions_do_not_count_is_null(tmp_path, monkeypatch, folder):
    undistorted = [x for x in study.names("rotation") if x[1].condition == "0"]
    monkeypatch.setattr(study, "names", lambda name, each: undistorted)
    study.measure(tmp_path, "a", "rotation")
    if folder:
        study.show(tmp_path / folder, "rotation")
    found = beside(tmp_path, folder and tmp_path / folder)
    _, values = block(errors.matrix(found), "rotation")
    assert np.isnan(values).all()
