"""Do the heat maps show the cells, and the differences to what was published?"""

import numpy as np
import pytest
from analysis import drawn, synthetic_long

from biases_jax.analysis import published
from biases_jax.analysis.drawings import corruptions
from biases_jax.corruptions import names

MODEL = "tv_resnet50"


def cells(family, rows, offset=0.0):
    """Return accuracies that tell which cell they are of."""
    return {
        f"{family}/{corruption}/{severity}/top1": 3.0 * row + 0.1 * severity + offset
        for row, corruption in enumerate(rows)
        for severity in names.SEVERITIES
    }


def values(axis):
    """Return what the shades of a panel stand for, masked where it is blank."""
    [mesh] = axis.collections
    return mesh.get_array()


def titles(figure):
    return [axis.get_title() for axis in figure.axes[:-1]]  # the last is the scale


def test_cells_are_where_their_corruption_and_severity_are():
    long = synthetic_long.long({"mine": cells("imagenet_c", names.NINETEEN)})
    [(figure, caption)] = drawn.figures(corruptions, long).values()
    axis = figure.axes[0]
    assert [t.get_text() for t in axis.get_yticklabels()] == list(names.NINETEEN)
    assert [t.get_text() for t in axis.get_xticklabels()] == list("12345")
    assert axis.yaxis_inverted()  # the first corruption is on top
    found = values(axis)
    row = names.NINETEEN.index("fog")
    assert found[row].tolist() == pytest.approx(
        [3 * row + 0.1 * s for s in range(1, 6)]
    )
    assert "published files of ImageNet-C" in caption


def test_differences_are_to_the_published_figures_of_the_same_cell():
    figures = published.figures(MODEL)
    own = {
        f"imagenet_c_jax/{c}/{s}/top1": figures[f"imagenet_c/{c}/{s}"].percent + s
        for c in names.NINETEEN
        for s in names.SEVERITIES
    }
    found = drawn.figures(corruptions, synthetic_long.long({MODEL: own, "mine": own}))
    assert list(found) == ["grid_imagenet_c_jax", "difference_imagenet_c_jax"]
    figure, _ = found["difference_imagenet_c_jax"]
    assert titles(figure) == [MODEL]  # of one's own models nothing is published
    np.testing.assert_allclose(values(figure.axes[0]), [[1, 2, 3, 4, 5]] * 19)


def test_what_is_not_measured_is_blank_and_told():
    some = cells("imagenet_cbar", names.IMAGENET_CBAR)
    del some["imagenet_cbar/sparkles/3/top1"]
    long = synthetic_long.long({"some": some, "none": {"natural/imagenet/top1": 50.0}})
    figure, caption = drawn.figures(corruptions, long)["grid_imagenet_cbar"]
    blank = np.ma.getmaskarray(values(figure.axes[0]))
    assert blank.sum() == 1 and blank[names.IMAGENET_CBAR.index("sparkles"), 2]
    assert titles(figure) == ["some"]
    assert "none (not measured: imagenet_cbar)" in caption


def test_nothing_is_drawn_of_nothing():
    long = synthetic_long.long({"a": {"natural/imagenet/top1": 50.0}})
    assert drawn.figures(corruptions, long) == {}


@pytest.mark.parametrize("count", [1, 14])
def test_nothing_sticks_out_and_twelve_models_share_a_figure(count):
    numbers = {
        f"resnet50_with_a_long_name_{i:02}": cells("imagenet_c", names.NINETEEN)
        for i in range(count)
    }
    found = drawn.figures(corruptions, synthetic_long.long(numbers))
    assert [len(figure.axes) - 1 for figure, _ in found.values()] == (
        [1] if count == 1 else [12, 2]
    )
    assert all(drawn.inside(figure) for figure, _ in found.values())
