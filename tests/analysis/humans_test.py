"""Are the numbers beside people's the formulas', and is nothing made up?"""

import math

import pytest
from humans import people, study

from biases_jax.analysis import humans
from biases_jax.humans import reference

SETS = ("edge", "contrast", "cue-conflict")


def beside(workdir, folder):
    rows = study.rows(workdir)
    return humans.beside(rows, workdir / "records", workdir / "sources", folder)


def numbers(found):
    return {
        (line.rows[0].model, line.name): line.value for line in humans.derived(found)
    }


def by_hand(name, given, shown):
    """Return the means of the formulas over conditions, then observers."""
    lines = study.names(name)
    place = {image: number for number, image in enumerate(shown.images)}
    of_people = []
    for observer in range(len(shown.makers)):
        of_conditions = []
        for condition in reference.SETS[name].used:
            pairs = [
                (
                    bool(given[number] == category),
                    bool(shown.right[observer, place[image]]),
                )
                for number, (_, image, category) in enumerate(lines)
                if image.condition == condition
            ]
            n = len(pairs)
            p, q = (sum(pair[side] for pair in pairs) / n for side in (0, 1))
            seen = sum(a == b for a, b in pairs) / n
            chance = p * q + (1 - p) * (1 - q)
            error = 1.0 if seen == 1 else (seen - chance) / (1 - chance)
            of_conditions.append(((p - q) ** 2, seen, error))
        parts = zip(*of_conditions, strict=True)
        of_people.append([sum(part) / len(of_conditions) for part in parts])
    return [sum(part) / len(of_people) for part in zip(*of_people, strict=True)]


@pytest.mark.parametrize("name", ["contrast", "edge", "false-colour"])
def test_a_set_s_numbers_are_the_formulas_from_files_to_the_end(tmp_path, name):
    shown = study.show(tmp_path / "data", name, observers=4)
    given = {model: study.measure(tmp_path, model, name) for model in ("a", "b")}
    found = numbers(beside(tmp_path, tmp_path / "data"))
    for model in ("a", "b"):
        values = [
            found[model, f"model_vs_human/{name}/{metric}"] for metric in humans.METRICS
        ]
        expected = by_hand(name, given[model], shown)
        # 1e-12: a few hundred float64 operations on numbers up to 1.
        assert [v.value for v in values] == pytest.approx(expected, rel=1e-12)
        assert {v.n for v in values} == {32 * len(reference.SETS[name].used)}


def test_a_model_that_answers_as_an_observer_does_is_wholly_consistent(tmp_path):
    shown = study.show(tmp_path / "data", "edge", observers=1)
    order = [shown.images.index(image) for _, image, _ in study.names("edge")]
    shown.answers[shown.answers < 0] = 15  # models always answer
    people.write_all(tmp_path / "data", "edge", shown)
    study.measure(tmp_path, "a", "edge", answers=shown.answers[0, order])
    found = numbers(beside(tmp_path, tmp_path / "data"))
    values = [found["a", f"model_vs_human/edge/{m}"].value for m in humans.METRICS]
    assert values == [0, 1, 1]


def test_means_need_all_seventeen_sets_and_say_what_lacks(tmp_path):
    for name in SETS[:2]:
        study.show(tmp_path / "data", name)
    for name in SETS:
        study.measure(tmp_path, "a", name)
    found = numbers(beside(tmp_path, tmp_path / "data"))
    value = found["a", "model_vs_human/cue-conflict/error_consistency"]
    assert math.isnan(value.value) and "no trials of people on cue-con" in value.reason
    value = found["a", "model_vs_human/error_consistency"]
    assert math.isnan(value.value) and value.n == 32 + 160
    lacking = value.reason.removeprefix("no comparison with people on ").split(", ")
    assert lacking == [name for name in reference.SETS if name not in SETS[:2]]


def test_the_mean_of_all_sets_is_unweighted(tmp_path):
    for name in reference.SETS:
        study.show(tmp_path / "data", name, each=1)
        study.measure(tmp_path, "a", name, each=1)
    found = numbers(beside(tmp_path, tmp_path / "data"))
    for metric in humans.METRICS:
        names = [f"model_vs_human/{name}/{metric}" for name in reference.SETS]
        expected = sum(found["a", name].value for name in names) / 17
        value = found["a", f"model_vs_human/{metric}"].value
        assert value == pytest.approx(expected, rel=1e-12)
    assert ("a", "model_vs_human/error_consistency_sum") not in found


def test_numbers_by_sums_have_names_of_their_own(tmp_path):
    study.show(tmp_path / "data", "edge")
    study.measure(tmp_path, "a", "edge")
    other = study.measure(tmp_path, "b", "edge", "/sum")
    found = beside(tmp_path, tmp_path / "data")
    values = numbers(found)
    assert ("a", "model_vs_human/edge/error_consistency") in values
    assert ("b", "model_vs_human/edge/error_consistency") not in values
    expected = by_hand("edge", other, study.seen("edge"))
    value = values["b", "model_vs_human/edge/sum/error_consistency"].value
    assert value == pytest.approx(expected[2], rel=1e-12)
    assert ("b", "model_vs_human/error_consistency_sum") in values
    assert found[0].by_sums == {"b"}
    assert found[0].value("b", "error_consistency").value == value


def test_without_people_s_trials_there_are_no_numbers_and_it_is_said(tmp_path, caplog):
    study.measure(tmp_path, "a", "edge")
    with caplog.at_level("INFO"):
        (found,) = beside(tmp_path, None)
    assert "not compared with people: no trials of people are here" in caplog.text
    assert humans.derived([found]) == [] and found.reason
    assert math.isnan(found.among_people) and math.isnan(found.between_halves)
    assert math.isnan(found.value("a", "error_consistency").value)


def test_malformed_trials_and_other_images_are_the_reason_of_nan(tmp_path):
    study.measure(tmp_path, "a", "edge")
    study.show(tmp_path / "other", "edge", each=1)
    found = numbers(beside(tmp_path, tmp_path / "other"))
    value = found["a", "model_vs_human/edge/error_consistency"]
    assert math.isnan(value.value) and "got 32 and 16 images" in value.reason
    people.write(tmp_path / "torn", "edge", "subject-01", [])
    found = numbers(beside(tmp_path, tmp_path / "torn"))
    value = found["a", "model_vs_human/edge/error_consistency"]
    assert math.isnan(value.value) and "got no trials" in value.reason


def test_a_model_without_records_has_nan_and_the_others_their_numbers(tmp_path):
    study.show(tmp_path / "data", "edge")
    study.measure(tmp_path, "a", "edge")
    study.measure(tmp_path, "b", "edge", kept=False)
    found = numbers(beside(tmp_path, tmp_path / "data"))
    assert not math.isnan(found["a", "model_vs_human/edge/error_consistency"].value)
    value = found["b", "model_vs_human/edge/error_consistency"]
    assert math.isnan(value.value) and "records turned off" in value.reason
