"""Are the differences what their definitions say?"""

import dataclasses

import numpy as np
import pytest

from biases_jax.parity import differences, runs


def run(logits, gradient, precision="float32", **stages):
    arrays = {**stages, "logits": logits, runs.GRADIENT: gradient}
    values = {
        name: runs.Values(np.asarray(array), np.shape(array)[1], 2)
        for name, array in arrays.items()
    }
    return runs.Run("jax", precision, values, {})


LOGITS = np.array([[1.0, 2, 4], [3, 0, -1]])
GRADIENT = np.array([[1.0, -2, 0], [4, -1, 2]])


def test_a_run_does_not_differ_from_itself():
    found = differences.compare(run(LOGITS, GRADIENT), run(LOGITS, GRADIENT))
    assert (found.agree, found.images, found.margins, found.sign_flips) == (2, 2, (), 0)
    for difference in found.stages.values():
        assert difference == differences.Difference(*[0.0] * 6, 6)


def test_the_largest_and_the_relative_difference_are_those_of_the_definition():
    other = LOGITS + np.array([[0, 0, 0], [0, 0.5, 0]])
    found = differences.compare(run(other, GRADIENT), run(LOGITS, GRADIENT))
    logits = found.stages["logits"]
    assert logits.max_abs == 0.5
    assert logits.over_spread == pytest.approx(0.5 / LOGITS.std(), rel=1e-12)
    assert logits.relative == pytest.approx(0.5 / np.linalg.norm(LOGITS), rel=1e-12)


@pytest.mark.parametrize(
    ("precision", "unit"),
    [("float64", 2.0**-52), ("float32", 2.0**-23), ("bfloat16", 2.0**-7)],
)
def test_ulps_are_distances_of_neighbours_in_the_coarser_precision(precision, unit):
    """The neighbours of 4 to 8 are four units apart, those of 1 to 2 one."""
    reference = np.array([[1.0, -1.5, 4, 7, 1, 1]])
    steps = np.array([[1.0, -1, 4, 4, 0, 0]])
    ours = run(reference + 3 * unit * steps, GRADIENT[:1], precision)
    found = differences.compare(ours, run(reference, GRADIENT[:1], "float64"))
    assert found.precision == precision
    logits = found.stages["logits"]
    assert (logits.ulp_median, logits.ulp_max) == (3, 3)


@pytest.mark.parametrize(("ours", "theirs"), [(1.75, 2.25), (2.25, 1.75)])
def test_ulps_are_those_at_the_reference(ours, theirs):
    a, b = (np.array([[x, -x]]) for x in (ours, theirs))
    found = differences.compare(run(a, GRADIENT[:1]), run(b, GRADIENT[:1]))
    expected = 0.5 / float(np.spacing(np.float32(theirs)))
    assert found.stages["logits"].ulp_max == expected


def test_ulps_of_values_near_zero_are_bounded_by_the_spread():
    reference = np.array([[0.0, 1024, -1024, 1024]])
    spread = reference.std()
    ours = reference + np.array([[1e-3, 0, 0, 0]])
    found = differences.compare(run(ours, GRADIENT[:1]), run(reference, GRADIENT[:1]))
    spacing = np.spacing(np.float32(spread / 1024))
    expected = 1e-3 / float(spacing)
    assert found.stages["logits"].ulp_max == pytest.approx(expected, rel=1e-6)


def test_other_decisions_have_the_margin_of_the_reference():
    ours = LOGITS.copy()
    ours[0] = [1, 5, 4]
    found = differences.compare(run(ours, GRADIENT), run(LOGITS, GRADIENT))
    assert found.agree == 1
    assert found.margins == pytest.approx(((4 - 2) / LOGITS.std(),), rel=1e-12)


def test_sign_flips_are_counted_where_the_reference_has_a_sign():
    ours = np.array([[1.0, 2, 9], [4, -1, 2]])
    found = differences.compare(run(LOGITS, ours), run(LOGITS, GRADIENT))
    assert found.sign_flips == 1 / 5  # of -2; that 0 became 9 does not count


def test_cosine_and_scale_are_those_of_the_whole_gradient():
    found = differences.compare(run(LOGITS, GRADIENT), run(LOGITS, -2 * GRADIENT))
    assert found.cosine == pytest.approx(-1, rel=1e-12)
    assert found.scale == pytest.approx(0.5, rel=1e-12)
    zero = 0 * GRADIENT
    for ours, theirs, expected in (
        (zero, GRADIENT, (1, 0, 0)),
        (GRADIENT, zero, (1, 0, np.inf)),
        (zero, zero, (0, 1, 1)),
    ):
        found = differences.compare(run(LOGITS, ours), run(LOGITS, theirs))
        assert (found.sign_flips, found.cosine, found.scale) == expected


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_compared_without_a_warning(value):
    broken = LOGITS * [[1, 1, value]]
    for ours, theirs in ((broken, LOGITS), (LOGITS, broken), (broken, broken)):
        found = differences.compare(run(ours, ours), run(theirs, theirs))
        assert not np.isfinite(found.stages["logits"].relative)


def test_thinned_values_are_compared_with_the_same_ones():
    generator = np.random.default_rng(0)
    array = generator.random((2, 6000 * 3))
    full = runs.Values(array, 6000 * 3, 3)
    thin = full.thinned(runs.stride(6000 * 3))
    assert thin.array.shape[1] <= runs.KEPT
    np.testing.assert_array_equal(thin.array, array[:, :: thin.stride])
    for a, b in ((full, thin), (thin, full), (thin, thin)):
        x, y = differences.paired("stem", a, b)
        np.testing.assert_array_equal(x.array, y.array)
    channels, counts = np.unique(thin.channel, return_counts=True)
    assert channels.tolist() == [0, 1, 2] and counts.min() > 800
    np.testing.assert_array_equal(thin.channel, full.channel[:: thin.stride])


def test_runs_of_other_sizes_are_refused():
    small = run(LOGITS[:1], GRADIENT[:1])
    with pytest.raises(ValueError, match="another network, or other images"):
        differences.compare(small, run(LOGITS, GRADIENT))
    values = runs.Values(LOGITS[:, ::2], 3, 3, 2)
    with pytest.raises(ValueError, match="every 2th value of a stage, expected all"):
        values.thinned(3)


def test_a_stage_that_one_run_lacks_is_not_compared():
    ours = run(LOGITS, GRADIENT, stem=GRADIENT)
    found = differences.compare(ours, run(LOGITS, GRADIENT))
    assert list(found.stages) == ["logits", runs.GRADIENT]
    assert "stem" in differences.compare(ours, dataclasses.replace(ours)).stages
