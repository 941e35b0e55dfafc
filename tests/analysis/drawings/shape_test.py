"""Markers, lines and boxes are the table's shares of decisions."""

import math

import numpy as np
import pytest
from analysis import drawn, synthetic_long

from biases_jax import labels
from biases_jax.analysis import drawings
from biases_jax.analysis.drawings import shape
from biases_jax.humans import reference


def draw(*models):
    long = synthetic_long.long({f"model {i}": found for i, found in enumerate(models)})
    return drawn.figures(shape, long)


def vertical(axis, index):
    """Return where the index-th vertical line stands."""
    lines = [line for line in axis.lines if list(line.get_ydata()) == [0, 1]]
    return lines[index].get_xdata()[0]


def test_markers_are_the_shares_of_each_category():
    a, b = synthetic_long.numbers(0), synthetic_long.numbers(1)
    found = draw(a, b)
    for name, benchmark, bias in (
        ("shape_bias", "cue_conflict", "bias"),
        ("frequency_bias", "frequency_cue_conflict", "frequency_bias"),
    ):
        figure, caption = found[name]
        [axis] = figure.axes
        for index, numbers in enumerate((a, b)):
            x, y = drawn.lines(axis, f"model {index}")
            expected = [
                numbers[f"shape/{benchmark}/{category}/bias"].value / 100
                for category in labels.CATEGORIES
            ]
            assert x == expected and y == list(range(16))
            overall = numbers[f"shape/{bias}"].value / 100
            assert vertical(axis, index) == overall
        assert "Not drawn" not in caption and "sums" not in caption
    rows = [text.get_text() for text in axis.get_yticklabels()]
    assert rows == list(labels.CATEGORIES)


def test_people_are_red_circles_where_they_were_asked():
    found = draw(synthetic_long.numbers())
    figure, caption = found["shape_bias"]
    [axis] = figure.axes
    x, _ = drawn.lines(axis, "humans")
    assert x == [reference.SHAPE_BIAS.per_category[name] for name in labels.CATEGORIES]
    assert vertical(axis, -1) == reference.SHAPE_BIAS.pooled
    [line] = [line for line in axis.lines if line.get_label() == "humans"]
    assert line.get_marker() == "o" and line.get_color() == "#d0103a"
    assert "people" in caption
    figure, caption = found["frequency_bias"]
    assert drawn.labels(figure) == ["model 0"] and "people" not in caption


def test_boxes_are_over_categories_the_largest_median_first():
    numbers = [synthetic_long.numbers(index) for index in range(3)]
    figure, caption = draw(*numbers)["shape_bias_boxes"]
    [axis] = figure.axes
    shares = {
        f"model {index}": [
            found[f"shape/cue_conflict/{category}/bias"].value / 100
            for category in labels.CATEGORIES
        ]
        for index, found in enumerate(numbers)
    }
    shares["humans"] = list(reference.SHAPE_BIAS.per_category.values())
    order = sorted(shares, key=lambda name: -np.median(shares[name]))
    assert [text.get_text() for text in axis.get_yticklabels()] == order
    for place, (name, box) in enumerate(zip(order, axis.patches, strict=True)):
        x = box.get_path().vertices[:, 0]
        quartiles = np.percentile(shares[name], [25, 75])
        # 1e-9: the same interpolation, of other rounding.
        assert [x.min(), x.max()] == pytest.approx(quartiles, abs=1e-9), name
        # Medians are the lines of two points that stand in the box's row.
        medians = [
            line.get_xdata()[0]
            for line in axis.lines
            if len(set(line.get_xdata())) == 1
            and np.allclose(line.get_ydata(), [place - 0.3, place + 0.3])
        ]
        assert np.median(shares[name]) in medians
    assert "fewer" not in caption


def test_categories_without_decisions_are_gaps_that_the_captions_name():
    a = synthetic_long.numbers()
    a["shape/cue_conflict/cat/bias"] = "no decision for either cue"
    found = draw(a, {"natural/imagenet/top1": 50.0})
    figure, caption = found["shape_bias"]
    x, _ = drawn.lines(figure.axes[0], "model 0")
    gap = labels.CATEGORIES.index("cat")
    assert math.isnan(x[gap]) and not any(map(math.isnan, x[:gap] + x[gap + 1 :]))
    assert caption.endswith(
        "Not drawn: model 0 (no decision for either cue);"
        " model 1 (not measured: shape)."
    )
    figure, caption = found["shape_bias_boxes"]
    assert "Of fewer categories than all: model 0: 15." in caption


def test_models_of_few_classes_are_drawn_by_sums_and_the_caption_says_so():
    by_sums = {
        name: "not measured: shape/cue_conflict"
        if name.startswith("shape/") and "sum" not in name
        else value
        for name, value in synthetic_long.numbers().items()
    }
    figure, caption = draw(by_sums, synthetic_long.numbers(1))["shape_bias"]
    x, _ = drawn.lines(figure.axes[0], "model 0")
    bear = by_sums["shape/cue_conflict/sum/bear/bias"].value / 100
    assert x[labels.CATEGORIES.index("bear")] == bear
    assert vertical(figure.axes[0], 0) == by_sums["shape/bias_sum"].value / 100
    assert (
        "By the sums, not the means" in caption and "few of them): model 0." in caption
    )
    assert "Not drawn" not in caption


def test_the_caption_says_where_people_saw_other_images():
    long = synthetic_long.long({"a": synthetic_long.numbers()})
    for unseen, said in ((["cue_conflict"], True), (["imagenet"], False)):
        groups = drawings.draw(long, unseen)
        captions = {d.name: d.caption for group in groups for d in group.drawings}
        assert ("not these" in captions["shape_bias"]) == said


def test_models_beyond_twelve_have_another_figure_but_one_of_boxes():
    found = draw(*(synthetic_long.numbers(index) for index in range(13)))
    names = [name for name in found if name.startswith("shape")]
    assert names == ["shape_bias_1", "shape_bias_2", "shape_bias_boxes"]
    assert drawn.labels(found["shape_bias_2"][0]) == ["model 9", "humans"]
    assert len(found["shape_bias_boxes"][0].axes[0].patches) == 14


def test_no_cue_conflicts_are_no_figure():
    assert draw({"natural/imagenet/top1": 50.0}) == {}
