"""Heat maps, thresholds and bands are the table's numbers."""

import math

import numpy as np
import pytest
from analysis import drawn, synthetic_long

from biases_jax.analysis.drawings import critical_band
from biases_jax.humans import reference

STRONGEST_FIRST = ("0.16", "0.08", "0.04", "0.02")


def draw(*models):
    long = synthetic_long.long({f"model {i}": found for i, found in enumerate(models)})
    return drawn.figures(critical_band, long)


def test_cells_are_accuracies_as_fractions_of_the_noise_free():
    numbers = synthetic_long.numbers()
    figure, caption = draw(numbers)["critical_band"]
    [mesh] = figure.axes[0].collections
    clean = numbers["critical_band/sd0/top1"].value
    expected = [
        [numbers[f"critical_band/f{f}/sd{sd}/top1"].value / clean for f in range(7)]
        for sd in STRONGEST_FIRST
    ]
    assert np.array_equal(mesh.get_array(), expected)
    assert figure.axes[0].get_title() == f"model 0\nnoise-free {clean:.1f} %"
    ticks = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert ticks == list(STRONGEST_FIRST)
    ticks = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert ticks == ["1.75", "3.5", "7", "14", "28", "56", "112"]
    assert "Not drawn" not in caption


def test_dots_lie_where_the_axis_has_their_strength():
    # T = log2(0.16 / sd) + 0.5; so the ticks, at half steps, are the strengths tested.
    numbers = synthetic_long.numbers()
    for octave in range(7):
        numbers[f"critical_band/f{octave}/threshold"] = math.log2(0.16 / 0.08) + 0.5
    numbers["critical_band/f2/threshold"] = 0.5  # the strongest is borne
    figure, _ = draw(numbers)["critical_band"]
    axis = figure.axes[0]
    x, y = drawn.lines(axis, "threshold")
    assert x == list(range(7))
    at_tick = axis.get_yticks()[STRONGEST_FIRST.index("0.08")]
    assert [at_tick] * 2 == y[:2] and math.isnan(y[2])
    _, beyond = drawn.lines(axis, "threshold beyond this")
    assert beyond[2] == 0.5 and np.isnan(beyond).sum() == 6


def test_whole_steps_lie_between_strengths():
    numbers = synthetic_long.numbers()
    steps = [0, 0, 1, 2, 4, 4, 3]
    for octave, step in enumerate(steps):
        numbers[f"critical_band/f{octave}/threshold_paper_norm"] = float(step)
        numbers[f"critical_band/f{octave}/threshold_paper"] = 4.0  # not this one
    figure, _ = draw(numbers)["critical_band"]
    _, y = drawn.lines(figure.axes[0], "the paper's threshold")
    assert y == steps


@pytest.mark.parametrize(
    ("label", "numbers"),
    [("fitted band", ""), ("the paper's fitted band", "_paper_norm")],
)
def test_bands_have_their_width_centre_and_peak(label, numbers):
    bandwidth, centre, peak = 2.0, 1.75 * 2**3.5, 0.5
    found = synthetic_long.numbers()
    for name, number in zip(critical_band.FIT, (bandwidth, centre, peak), strict=True):
        found[f"critical_band/{name}{numbers}"] = number
    figure, _ = draw(found)["critical_band"]
    x, y = map(np.array, drawn.lines(figure.axes[0], label))
    # The height is in octaves of noise, of which 4 are a sensitivity of 1.
    assert y.max() == pytest.approx(4 + math.log2(peak), abs=1e-9)  # a point is at 3.5
    assert x[y.argmax()] == pytest.approx(3.5)
    # Half of the height is borne one octave from the centre; points lie so densely
    # that a straight line between them is off by less than 0.01.
    assert np.interp(4.5, x, y) == pytest.approx(y.max() / 2, abs=0.01)
    assert np.interp(2.5, x, y) == pytest.approx(y.max() / 2, abs=0.01)


def test_the_band_of_people_is_in_every_panel():
    figure, caption = draw(synthetic_long.numbers(0), synthetic_long.numbers(1))[
        "critical_band"
    ]
    for axis in figure.axes[:2]:
        x, y = map(np.array, drawn.lines(axis, "band of humans"))
        centre = math.log2(reference.CRITICAL_BAND.centre_frequency / 1.75)
        # 0.13 is the distance of two points.
        assert x[y.argmax()] == pytest.approx(centre, abs=0.13)
        width = np.diff(x).mean() * (y > 2).sum()
        assert width == pytest.approx(reference.CRITICAL_BAND.bandwidth, abs=0.26)
    assert "1.00 octave" in caption and "39.6" in caption


def test_missing_cells_thresholds_and_fits_are_gaps_that_the_caption_names():
    a, b = synthetic_long.numbers(0), synthetic_long.numbers(1)
    del a["critical_band/f3/sd0.08/top1"]
    a["critical_band/f3/threshold"] = "not measured: critical_band/f3/sd0.08"
    for name in critical_band.FIT:
        a[f"critical_band/{name}"] = "flat thresholds"
    only_natural = {"natural/imagenet/top1": 50.0}
    figure, caption = draw(a, b, only_natural)["critical_band"]
    cells = figure.axes[0].collections[0].get_array()
    assert cells.mask.sum() == 1 and cells.mask[1, 3]
    _, y = drawn.lines(figure.axes[0], "fitted band")
    assert np.isnan(y).all()
    assert not figure.axes[1].collections[0].get_array().mask.any()
    assert caption.endswith(
        "Not drawn: model 0 (not measured: critical_band/f3/sd0.08); model 0 (flat"
        " thresholds); model 2 (not measured: critical_band)."
    )


def test_without_noise_free_accuracy_there_are_no_shades():
    numbers = synthetic_long.numbers()
    del numbers["critical_band/sd0/top1"]
    figure, caption = draw(numbers)["critical_band"]
    assert figure.axes[0].collections[0].get_array().mask.all()
    assert "unknown" in figure.axes[0].get_title()
    assert "(not measured: critical_band/sd0)" in caption


def test_of_models_without_any_threshold_nothing_is_drawn_and_it_is_told_once():
    a, b = synthetic_long.numbers(0), synthetic_long.numbers(1)
    for octave in range(7):
        a[f"critical_band/f{octave}/threshold"] = "near chance"
    for name in critical_band.FIT:
        a[f"critical_band/{name}"] = "near chance"
    a["critical_band/bandwidth_paper_norm"] = "flat; near chance"
    figure, caption = draw(a, b)["critical_band"]
    masks = [axis.collections[0].get_array().mask for axis in figure.axes[:2]]
    assert masks[0].all() and not masks[1].any()
    for label in ("the paper's threshold", "the paper's fitted band"):
        for axis, blank in zip(figure.axes[:2], (True, False), strict=True):
            assert np.isnan(drawn.lines(axis, label)[1]).all() == blank
    assert caption.endswith("Not drawn: model 0 (near chance).")


def test_what_lacks_of_the_papers_alone_is_told():
    numbers = synthetic_long.numbers()
    numbers["critical_band/bandwidth_paper_norm"] = "flat"
    _, caption = draw(numbers)["critical_band"]
    assert caption.endswith("Not drawn: model 0 (flat).")


def test_twelve_models_share_a_figure():
    numbers = [synthetic_long.numbers(index) for index in range(13)]
    found = draw(*numbers)
    assert list(found) == ["critical_band_1", "critical_band_2"]
    panels = [len(figure.axes) - 1 for figure, _ in found.values()]  # but the key
    assert panels == [12, 1]


def test_no_critical_band_is_no_figure():
    assert draw({"natural/imagenet/top1": 50.0}) == {}
