"""Curves over conditions are the table's accuracies, people's are the published."""

import math

import pytest
from analysis import drawn, synthetic_long

from biases_jax.analysis import drawings
from biases_jax.analysis.drawings import model_vs_human
from biases_jax.humans import reference


def draw(*models):
    long = synthetic_long.long({f"model {i}": found for i, found in enumerate(models)})
    return drawn.figures(model_vs_human, long)


def panel(figure, title):
    [axis] = [axis for axis in figure.axes if axis.get_title() == title]
    return axis


@pytest.mark.parametrize("name", synthetic_long.CONDITIONS)
def test_curves_are_accuracies_in_the_order_of_the_conditions(name):
    numbers = synthetic_long.numbers()
    figure, caption = draw(numbers)["conditions"]
    axis = panel(figure, name)
    order = synthetic_long.CONDITIONS[name]
    shown = [text.get_text().strip("()") for text in axis.get_xticklabels()]
    assert shown == list(order)
    x, y = drawn.lines(axis, "model 0")
    assert x == list(range(len(order)))
    assert y == [
        numbers[f"model_vs_human/{name}/{condition}/top1"].value for condition in order
    ]
    assert axis.get_xlabel() == model_vs_human.AXES.get(name, "")
    assert "Not drawn" not in caption and "sums" not in caption


def test_the_human_curve_chance_and_what_is_excluded_are_the_published():
    figure, _ = draw(synthetic_long.numbers())["conditions"]
    axis = panel(figure, "contrast")
    people = reference.SETS["contrast"]
    _, y = drawn.lines(axis, "humans")
    # 1e-9: a fraction times 100.
    expected = [100 * condition.accuracy for condition in people.conditions.values()]
    assert y == pytest.approx(expected, abs=1e-9)
    _, chance = drawn.lines(axis, "chance")
    assert chance == [6.25, 6.25]
    texts = [text.get_text() for text in axis.get_xticklabels()]
    assert [text for text in texts if text.startswith("(")] == [
        "(c100)",
        "(c03)",
        "(c01)",
    ]


def test_bands_are_intervals_of_few_models_and_the_caption_says_which():
    few, many = (
        draw(*(synthetic_long.numbers(index) for index in range(count)))["conditions"]
        for count in (2, 7)
    )
    assert len(few[0].axes[0].collections) == 2 and "Wilson intervals." in few[1]
    assert len(many[0].axes[0].collections) == 0 and "are in long.csv" in many[1]
    value = synthetic_long.numbers()["model_vs_human/contrast/c05/top1"]
    edges = panel(few[0], "contrast").collections[0].get_paths()[0].vertices
    assert {value.low, value.high} <= {float(y) for x, y in edges if x == 5}


def test_a_missing_condition_is_a_gap_that_the_caption_names():
    a = synthetic_long.numbers()
    a["model_vs_human/contrast/c30/top1"] = "no images of the condition c30"
    figure, caption = draw(a, {"natural/imagenet/top1": 50.0})["conditions"]
    _, y = drawn.lines(panel(figure, "contrast"), "model 0")
    assert math.isnan(y[2]) and not any(map(math.isnan, y[:2] + y[3:]))
    assert caption.endswith(
        "Not drawn: model 0 (no images of the condition c30); model 1 (not measured:"
        " model_vs_human/<set>/<condition>)."
    )


def test_models_of_few_classes_are_drawn_by_sums_and_the_caption_says_so():
    plain = synthetic_long.numbers()
    by_sums = {
        name.replace("contrast/", "contrast/sum/"): value
        for name, value in plain.items()
    }
    figure, caption = draw(by_sums)["conditions"]
    _, y = drawn.lines(panel(figure, "contrast"), "model 0")
    assert y[5] == plain["model_vs_human/contrast/c05/top1"].value
    assert "By the sums, not the means" in caption


def test_sets_that_no_model_was_measured_on_have_no_panel():
    numbers = synthetic_long.numbers()
    for condition in reference.SETS["colour"].conditions:
        numbers[f"model_vs_human/colour/{condition}/top1"] = "not measured"
    figure, _ = draw(numbers)["conditions"]
    assert {axis.get_title() for axis in figure.axes} == set(synthetic_long.CONDITIONS)


def test_all_published_sets_of_a_parameter_say_what_it_is():
    strength = {name for name, row in reference.SETS.items() if len(row.conditions) > 2}
    assert set(model_vs_human.AXES) == strength
    assert {"colour", "false-colour", "power-equalisation"}.isdisjoint(strength)


def test_a_set_of_one_s_own_has_no_people():
    numbers = {
        f"model_vs_human/fog/{strength}/top1": 50.0 - strength for strength in (1, 2, 3)
    }
    figure, _ = draw(numbers)["conditions"]
    _, y = drawn.lines(panel(figure, "fog"), "model 0")
    assert y == [49.0, 48.0, 47.0]
    _, y = drawn.lines(panel(figure, "fog"), "humans")
    assert all(map(math.isnan, y))


def test_the_caption_says_where_people_saw_other_images():
    long = synthetic_long.long({"a": synthetic_long.numbers()})
    for unseen, said in ((["model_vs_human/contrast"], True), (["imagenet"], False)):
        groups = drawings.draw(long, unseen)
        captions = {d.name: d.caption for group in groups for d in group.drawings}
        assert ("not these" in captions["conditions"]) == said


def test_twelve_models_share_a_figure():
    found = draw(*(synthetic_long.numbers(index) for index in range(13)))
    assert list(found) == ["conditions_1", "conditions_2"]
    assert drawn.labels(found["conditions_2"][0]) == ["model 9", "humans", "chance"]


def test_the_legend_is_in_order_where_the_first_panel_lacks_a_model():
    a, b = synthetic_long.numbers(0), synthetic_long.numbers(1)
    for condition in reference.SETS["contrast"].conditions:
        a[f"model_vs_human/contrast/{condition}/top1"] = "not measured"
    figure, _ = draw(a, b)["conditions"]
    assert drawn.labels(figure) == ["model 0", "model 1", "humans", "chance"]


def test_no_conditions_are_no_figure():
    assert draw({"model_vs_human/stylized/sum/top1": 50.0}) == {}
