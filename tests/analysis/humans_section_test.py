"""Does the page show how far models are from people, and people from each other?"""

import csv
import re

import pytest
from analysis import synthetic
from humans import study

from biases_jax import results
from biases_jax.analysis import humans, humans_section, page, run
from biases_jax.humans import consistency, reference


def analyse(workdir, folder=None):
    journal = results.read(workdir / "results")
    places = (workdir / "records", workdir / "report")
    path = run.analyse(journal, *places, manifests=workdir / "sources", humans=folder)
    return path.read_text()


def table_of(text, caption):
    """Return the cells of the table with a caption, as texts."""
    (found,) = [
        part
        for part in re.findall(r"<table>.*?</table>", text, re.DOTALL)
        if f"<caption>{caption}" in part
    ]
    lines = re.findall(r"<tr>(.*?)</tr>", found, re.DOTALL)
    return [
        [re.sub(r"<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", line)]
        for line in lines
    ]


def test_models_stand_above_people_of_the_same_sets(tmp_path):
    shown = {}
    for name in ("edge", "contrast"):
        shown[name] = study.show(tmp_path / "data", name, observers=4)
        study.measure(tmp_path, "a", name)
    study.measure(tmp_path, "b", "edge", "/sum")
    text = analyse(tmp_path, tmp_path / "data")
    lines = table_of(text, "Error consistency with people")
    assert lines[0] == ["", "edge", "contrast", "mean of all 17"]
    rows = study.rows(tmp_path)
    found = humans.beside(
        *(rows, tmp_path / "records", tmp_path / "sources", tmp_path / "data")
    )
    by_name = {one.name: one for one in found}
    numbers = {
        (model, name): page.number(one.value(model, "error_consistency").value)
        for name, one in by_name.items()
        for model in "ab"
    }
    assert lines[1][:3] == ["a", numbers["a", "edge"], numbers["a", "contrast"]]
    assert lines[2][:3] == ["b", numbers["b", "edge"] + "†", "–"]
    assert lines[1][3].startswith("–no comparison with people on silhouette")
    pairs = [consistency.among_people(n, s).error for n, s in shown.items()]
    halves = [consistency.between_halves(n, s) for n, s in shown.items()]
    published = [reference.SETS[name].error_consistency for name in shown]
    for line, values in zip(lines[3:5], (pairs, halves), strict=True):
        assert line[1:] == [*map(page.number, values), "–"]
    assert lines[5][1:] == [*map(page.number, published), "0.4312"]
    assert table_of(text, "Observed consistency")[-1][-1] == "0.8085"
    assert table_of(text, "Squared difference")[-1][-1] == "0.0066"


def test_all_sets_have_a_mean_beside_that_of_people(tmp_path):
    for name in reference.SETS:
        study.show(tmp_path / "data", name, each=1)
        study.measure(tmp_path, "a", name, each=1)
    text = analyse(tmp_path, tmp_path / "data")
    lines = table_of(text, "Error consistency with people")
    assert lines[0][1:-1] == list(reference.SETS)
    assert all(re.fullmatch(r"-?\d\.\d{2,4}", line[-1]) for line in lines[1:])
    long = csv.DictReader((tmp_path / "report/long.csv").read_text().splitlines())
    mean = "model_vs_human", "error_consistency"
    (line,) = [x for x in long if (x["benchmark"], x["metric"]) == mean]
    assert page.number(float(line["value"])) == lines[1][-1]
    wide = csv.DictReader((tmp_path / "report/wide.csv").read_text().splitlines())
    assert next(wide)["/".join(mean)] == line["value"]


def test_what_people_did_is_shown_without_their_trials(tmp_path):
    study.measure(tmp_path, "a", "edge")
    study.measure(tmp_path, "b", "edge")
    text = analyse(tmp_path)
    assert "Not compared: no trials of people are here" in text
    assert "Shape bias of people: 0.9587 (9236 decisions for the shape" in text
    assert "1.00 octaves around 39.6 cycles per image" in text
    lines = table_of(text, "Fractions, of the conditions that count")
    assert [line[0] for line in lines[1:]] == [*reference.SETS, "mean"]
    assert lines[1][:3] == ["edge", "10", "0.8712"]
    assert lines[-1] == ["mean", "", "0.7228", "0.4312", "0.8085", "0.0066"]
    assert not re.search(r"<caption>Error consistency with people", text)
    matrix = table_of(text, "Mean over the sets edge")
    assert matrix[0] == ["", "a", "b", "people"] and matrix[1][1] == "1.00"
    assert matrix[1][2] == matrix[2][1] != "–" and matrix[3][1] == "–"
    assert 'href="error_consistency.csv"' in text and "trials/files.csv" in text
    assert (
        "model_vs_human/edge,edge,error_consistency"
        not in (tmp_path / "report/long.csv").read_text()
    )


def test_a_matrix_of_many_models_is_only_linked_to(tmp_path, monkeypatch):
    monkeypatch.setattr(humans_section, "MOST", 1)
    study.measure(tmp_path, "a", "edge")
    study.measure(tmp_path, "b", "edge")
    text = analyse(tmp_path)
    assert "error_consistency.csv and observed_consistency.csv, set by set." in text
    assert "Mean over the sets" not in text


def test_a_run_of_nothing_that_people_saw_has_no_such_section(tmp_path):
    synthetic.fill(tmp_path / "results", models=("a",))
    assert humans_section.HEADING not in analyse(tmp_path)


def test_trials_of_conditions_that_do_not_count_are_said_to_be_such(
    tmp_path, monkeypatch
):
    undistorted = [x for x in study.names("rotation") if x[1].condition == "0"]
    monkeypatch.setattr(study, "names", lambda name, each: undistorted)
    study.measure(tmp_path, "a", "rotation")
    study.show(tmp_path / "data", "rotation")
    text = analyse(tmp_path, tmp_path / "data")
    assert "Not compared: got no image of rotation in a condition that counts" in text


def test_sets_without_trials_of_people_are_named_in_one_line(tmp_path):
    study.show(tmp_path / "data", "edge")
    for name in reference.SETS:
        study.measure(tmp_path, "a", name)
    text = analyse(tmp_path, tmp_path / "data")
    assert text.count("Not compared") == 1
    names = ", ".join(name for name in reference.SETS if name != "edge")
    said = f"Not compared on {names}: got no trials of people on <set> in"
    assert page.escape(said) in text
    assert page.escape("raw-data/<set>/<set>_subject-NN_session_K.csv") in text


@pytest.mark.parametrize("kept", [True, False])
def test_malformed_trials_do_not_keep_the_report_from_being_written(tmp_path, kept):
    study.measure(tmp_path, "a", "edge", kept=kept)
    study.show(tmp_path / "data", "edge")
    path = tmp_path / "data/raw-data/edge/edge_subject-02_session_1.csv"
    path.write_text("")
    text = analyse(tmp_path, tmp_path / "data")
    assert "Not compared: " in text and "columns of an empty file" in text
