"""Do exported trials have the published form, and are they read as they were?"""

import csv
import re

import numpy as np
import pytest
from humans import study
from hypothesis import given
from hypothesis import strategies as st

from biases_jax import labels
from biases_jax.humans import answers, exported, reference, trial_files, trials


def found_of(name, models=("a", "b")):
    shown = sorted(study.names(name), key=lambda one: one[1])
    order = {image: number for number, (_, image, _) in enumerate(study.names(name))}
    places = [order[image] for _, image, _ in shown]
    lines = [study.answered(model, name)[places] for model in models]
    made = trials.Trials(
        tuple(models),
        tuple(image for _, image, _ in shown),
        np.array([category for *_, category in shown], np.int8),
        np.array(lines, np.int8),
    )
    return answers.Answers(made, tuple(text for text, *_ in shown), {})


@pytest.mark.parametrize("name", list(reference.SETS))
def test_what_is_written_is_read_again(tmp_path, name):
    found = found_of(name)
    files = exported.write(tmp_path, name, found, {"a": "a", "b": "b-2"})
    assert files["b"] == f"{name}/{name}_b-2_session-1.csv"
    for line, model in enumerate("ab"):
        read = trial_files.read(name, model, [tmp_path / files[model]])
        assert read.images == found.trials.images
        np.testing.assert_array_equal(read.categories, found.trials.categories)
        np.testing.assert_array_equal(read.answers[0], found.trials.answers[line])


def test_a_line_is_a_trial_in_the_order_of_names(tmp_path):
    found = found_of("contrast", ["my model"])
    files = exported.write(tmp_path, "contrast", found, {"my model": "my-model"})
    text = (tmp_path / files["my model"]).read_text()
    assert text.startswith(
        "subj,session,trial,rt,object_response,category,condition,imagename\n"
    )
    lines = list(csv.DictReader(text.splitlines()))
    assert [line["trial"] for line in lines] == [str(n + 1) for n in range(len(lines))]
    names = [text for text, *_ in study.names("contrast")]
    assert [line["imagename"] for line in lines] == names
    first = study.answered("my model", "contrast")[0]
    assert lines[0] == {
        "subj": "my-model",
        "session": "1",
        "trial": "1",
        "rt": "NaN",
        "object_response": labels.CATEGORIES[first],
        "category": "airplane",
        "condition": "c100",
        "imagename": names[0],
    }


def test_odd_names_of_images_are_quoted(tmp_path):
    image = trials.Image("0", 'a,"b".png')
    made = trials.Trials(
        ("m",), (image,), np.zeros(1, np.int8), np.array([[-1]], np.int8)
    )
    found = answers.Answers(made, ('dog/a,"b".png',), {})
    files = exported.write(tmp_path, "edge", found, {"m": "m"})
    read = trial_files.read("edge", "m", [tmp_path / files["m"]])
    assert read.images == (image,) and read.answers.tolist() == [[-1]]


def test_names_are_made_safe_and_stay_different():
    models = ["tv_resnet50", "a/b", "a_b", "a-b", "A-B", "subject-01", "..", "é"]
    safe = exported.safe_names(models)
    # Both were safe; on some disks they would be one file.
    assert (safe["A-B"], safe["a-b"]) == ("A-B", "a-b-2")
    assert safe["tv_resnet50"] == "tv-resnet50"
    assert safe["subject-01"] == "model-subject-01"
    assert {safe[".."], safe["é"]} == {"model", "model-2"}
    assert len({name.casefold() for name in safe.values()}) == len(models)


@given(st.lists(st.text("aA-_/2. s", min_size=1, max_size=5), unique=True))
def test_no_two_models_ever_share_a_file(models):
    safe = exported.safe_names(models)
    assert set(safe) == set(models)
    assert len({name.casefold() for name in safe.values()}) == len(models)
    for name in safe.values():
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.\-]*", name)
    assert exported.safe_names(models[::-1]) == safe
