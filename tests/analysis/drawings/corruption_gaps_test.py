"""Do the heat maps show the gaps, the intervals without 0, and what they come to?"""

import numpy as np
import pytest
from analysis import drawn, synthetic_long

from biases_jax import cell_gaps, paired
from biases_jax.analysis.drawings import corruptions
from biases_jax.corruptions import names
from biases_jax.types import Value

N = 1000
FIGURE = "gap_imagenet_c_jax"


def measured(*others, lost=10, family="imagenet_c_jax", rows=names.NINETEEN):
    """Return accuracies and gaps: each cell gains as many as its place, and 10."""
    found = {}
    for place, corruption in enumerate(rows):
        for severity in names.SEVERITIES:
            cell = f"{family}/{corruption}/{severity}"
            gained = 10 + 5 * place + severity - 1
            found[f"{cell}/gap"] = paired.difference(lost, gained, N)
            found[f"{cell}/gap_p"] = Value(paired.mcnemar(lost, gained), n=N)
            found[f"{cell}/top1"] = 50.0
    return {name: v for name, v in found.items() if not name.startswith(others)}


def gaps(numbers):
    """Return the numbers as gaps, for the verdict on them."""
    return [
        cell_gaps.Gap(name[:-4], value, numbers[f"{name}_p"].value)
        for name, value in numbers.items()
        if name.endswith("/gap")
    ]


def of(numbers, figure=FIGURE):
    return drawn.figures(corruptions, synthetic_long.long(numbers))[figure]


def dots(axis):
    """Return where dots are, as (row, column)."""
    return {
        (int(y), int(x))
        for line in axis.lines
        for x, y in zip(*line.get_data(), strict=True)
    }


def test_gaps_are_where_their_corruption_and_severity_are():
    figure, caption = of({"mine": measured()})
    axis, scale = figure.axes
    assert [t.get_text() for t in axis.get_yticklabels()] == list(names.NINETEEN)
    [mesh] = axis.collections
    expected = [[(5 * row + s) / 10 for s in range(5)] for row in range(19)]
    np.testing.assert_allclose(mesh.get_array(), expected)
    assert scale.get_ylim() == (-10, 10)  # 9.4 at most, in steps of 2
    assert "ImageNet-C's corruptions, made here less that on the published" in caption
    assert "Not drawn" not in caption


def test_dots_are_on_the_intervals_without_0():
    own = measured()
    figure, _ = of({"mine": own})
    outside = [gap.excludes_0 for gap in gaps(own)]
    assert dots(figure.axes[0]) == set(
        map(tuple, np.argwhere(np.reshape(outside, (19, 5))).tolist())
    )
    assert 0 < sum(outside) < 95


def test_the_caption_has_the_verdict_on_each_model():
    own, equal = measured(), measured(lost=57)
    figure, caption = of({"mine": own, "other": equal})
    assert len(figure.axes) == 3
    verdicts = [cell_gaps.verdict(gaps(numbers)) for numbers in (own, equal)]
    assert f" mine: {verdicts[0]}; other: {verdicts[1]}. The" in caption
    assert verdicts[0].excluding > verdicts[0].differing > 0
    assert verdicts[0].differing != verdicts[1].differing


def test_what_is_not_measured_on_both_sides_is_blank_and_told():
    some = measured("imagenet_c_jax/fog/3")
    reason = "not measured: imagenet_c/snow/2"
    some |= {"imagenet_c_jax/snow/2/gap": reason}
    del some["imagenet_c_jax/snow/2/gap_p"]
    alone = {"imagenet_c_jax/fog/1/top1": 50.0, "imagenet_c_jax/fog/1/gap": reason}
    mixed = {"imagenet_c_jax/fog/1/gap": "cells of mixed seed: 0, 1"}
    figure, caption = of({"some": some, "alone": alone, "mixed": mixed})
    blank = np.ma.getmaskarray(figure.axes[0].collections[0].get_array())
    cells = [("snow", 1), ("fog", 2)]
    rows = [(names.NINETEEN.index(name), column) for name, column in cells]
    assert np.argwhere(blank).tolist() == [list(place) for place in rows]
    assert not dots(figure.axes[0]) & set(rows)
    assert [axis.get_title() for axis in figure.axes[:-1]] == ["some"]
    assert "of 93 intervals" in caption
    assert (
        " Not drawn: alone (not measured on both sides); mixed (cells of mixed seed: 0,"
        " 1)."
    ) in caption


def test_gaps_without_an_interval_are_drawn_and_counted():
    own = {
        "imagenet_c_jax/fog/1/gap": Value(5.0, n=N, reason="no interval: no records")
    }
    figure, caption = of({"mine": own})
    assert not dots(figure.axes[0])
    assert "0 of 0 intervals" in caption and "1 have no interval" in caption


def test_both_families_have_a_figure_and_the_published_files_none():
    own = measured() | measured(family="imagenet_cbar_jax", rows=names.IMAGENET_CBAR)
    own |= {f"imagenet_c/fog/{s}/top1": 50.0 for s in names.SEVERITIES}
    found = drawn.figures(corruptions, synthetic_long.long({"mine": own}))
    assert [name for name in found if name.startswith("gap_")] == [
        *(FIGURE, "gap_imagenet_cbar_jax")
    ]
    figure, caption = found["gap_imagenet_cbar_jax"]
    labels = [t.get_text() for t in figure.axes[0].get_yticklabels()]
    assert labels == list(names.IMAGENET_CBAR)
    assert "less that on the published files of ImageNet-C-bar" in caption


def test_there_is_no_figure_where_nothing_was_compared():
    reason = "not measured: imagenet_c/fog/1"
    own = {"imagenet_c_jax/fog/1/top1": 50.0, "imagenet_c_jax/fog/1/gap": reason}
    found = drawn.figures(corruptions, synthetic_long.long({"mine": own}))
    assert list(found) == ["grid_imagenet_c_jax"]


@pytest.mark.parametrize("count", [1, 14])
def test_nothing_sticks_out_and_each_figure_tells_of_its_own_models(count):
    models = [f"resnet50_with_a_long_name_{i:02}" for i in range(count)]
    found = drawn.figures(
        corruptions, synthetic_long.long({model: measured() for model in models})
    )
    own = [found[name] for name in found if name.startswith("gap_")]
    parts = [models] if count == 1 else [models[:12], models[12:]]
    for (figure, caption), part in zip(own, parts, strict=True):
        assert drawn.inside(figure)
        assert [model for model in models if f"{model}: " in caption] == part
