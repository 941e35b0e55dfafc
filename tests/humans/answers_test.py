"""Are models' answers joined with the images they are of?"""

import numpy as np
import pytest
from humans import study

from biases_jax import labels
from biases_jax.humans import answers, trials
from biases_jax.sources import manifest


def load(workdir, name, ending=""):
    rows = study.rows(workdir)
    rows = [row for row in rows if row.benchmark == f"model_vs_human/{name}{ending}"]
    return answers.load(name, rows, workdir / "records", workdir / "sources")


@pytest.mark.parametrize(
    "name", ["edge", "cue-conflict", "uniform-noise", "false-colour", "stylized"]
)
def test_each_answer_is_that_of_its_image(tmp_path, name):
    given = {m: study.measure(tmp_path, m, name).tolist() for m in ("a", "b")}
    found = load(tmp_path, name)
    assert found.trials.makers == ("a", "b") and not found.lacking
    assert list(found.trials.images) == sorted(found.trials.images)
    lines = study.names(name)
    place = {image: number for number, (_, image, _) in enumerate(lines)}
    for number, image in enumerate(found.trials.images):
        published, _, category = lines[place[image]]
        assert found.names[number] == published
        assert found.trials.categories[number] == category
        for line, model in enumerate("ab"):
            assert found.trials.answers[line, number] == given[model][place[image]]


def test_conditions_are_read_from_names_and_spelled_as_published(tmp_path):
    study.measure(tmp_path, "a", "false-colour")
    found = load(tmp_path, "false-colour")
    assert {image.condition for image in found.trials.images} == {"True", "False"}
    assert any("_true_" in name for name in found.names)


def test_models_without_answers_are_said_with_the_reason(tmp_path):
    study.measure(tmp_path, "a", "edge")
    study.measure(tmp_path, "b", "edge", kept=False)
    found = load(tmp_path, "edge")
    assert found.trials.makers == ("a",)
    assert "records turned off" in found.lacking["b"]
    manifest.manifest_path(tmp_path / "sources", "model_vs_human/edge").unlink()
    found = load(tmp_path, "edge")
    assert found.trials.makers == () and found.trials.images == ()
    assert "expected the labels there" in found.lacking["a"]


def test_answers_that_are_no_category_are_refused(tmp_path):
    wrong = np.full(32, 16)
    study.measure(tmp_path, "a", "edge", answers=wrong)
    found = load(tmp_path, "edge")
    assert "got the answers 16 to 16, expected categories" in found.lacking["a"]


def test_names_without_a_condition_are_refused(tmp_path, monkeypatch):
    plain = [
        (f"{number}.png", image, category)
        for number, (_, image, category) in enumerate(study.names("rotation"))
    ]
    monkeypatch.setattr(study, "names", lambda name, each: plain)
    study.measure(tmp_path, "a", "rotation")
    found = load(tmp_path, "rotation")
    assert "an image of rotation called" in found.lacking["a"]


def test_two_images_of_one_name_are_refused(tmp_path, monkeypatch):
    twins = [
        (f"{number}_x_{name}", image, category)
        for number, (_, image, category) in enumerate(study.names("edge"))
        for name in ["same.png" if number < 2 else f"{number}.png"]
    ]
    monkeypatch.setattr(study, "names", lambda name, each: twins)
    study.measure(tmp_path, "a", "edge")
    found = load(tmp_path, "edge")
    assert "several images called same.png in condition 0" in found.lacking["a"]


def test_the_published_read_out_is_chosen_where_a_model_has_it(tmp_path):
    both = study.measure(tmp_path, "a", "edge")
    study.measure(tmp_path, "a", "edge", "/sum", answers=(both + 1) % 16)
    only = study.measure(tmp_path, "b", "edge", "/sum")
    # Without records it has no answers, but it is no model of the other read-out.
    study.measure(tmp_path, "c", "edge", kept=False)
    study.measure(tmp_path, "c", "edge", "/sum")
    plain, by_sums = load(tmp_path, "edge"), load(tmp_path, "edge", "/sum")
    found = answers.chosen(plain, by_sums)
    assert found.trials.makers == ("a", "b")
    assert list(found.lacking) == ["c"]
    order = [image for _, image, _ in study.names("edge")]
    places = [order.index(image) for image in found.trials.images]
    np.testing.assert_array_equal(found.trials.answers, [both[places], only[places]])


def test_answers_by_sums_never_stand_for_lost_published_ones(tmp_path):
    study.measure(tmp_path, "a", "edge", kept=False)
    study.measure(tmp_path, "a", "edge", "/sum")
    alone = answers.chosen(load(tmp_path, "edge"), load(tmp_path, "edge", "/sum"))
    assert alone.trials.makers == alone.names == ()
    study.measure(tmp_path, "b", "edge", "/sum")
    found = answers.chosen(load(tmp_path, "edge"), load(tmp_path, "edge", "/sum"))
    assert found.trials.makers == ("b",) and len(found.names) == 32
    assert list(found.lacking) == list(alone.lacking) == ["a"]


@pytest.mark.parametrize("ending", ["", "/sum"])
def test_one_read_out_alone_is_chosen(tmp_path, ending):
    study.measure(tmp_path, "a", "edge", ending)
    found = answers.chosen(load(tmp_path, "edge"), load(tmp_path, "edge", "/sum"))
    assert found.trials.makers == ("a",) and len(found.names) == 32


def test_pairs_of_shape_and_texture_have_the_shape_as_category(tmp_path):
    study.measure(tmp_path, "a", "cue-conflict")
    found = load(tmp_path, "cue-conflict")
    for image, category in zip(
        found.trials.images, found.trials.categories, strict=True
    ):
        assert image.id.startswith(labels.CATEGORIES[category])
        assert image == trials.Image("0", image.id)
