"""Do the intervals know that the cells are of the same images, and cover the truth?"""

import numpy as np
import pyarrow as pa
import pytest

from biases_jax.masking import bootstrap


def table(correct, ids=None):
    ids = np.arange(len(correct), dtype=np.uint64) if ids is None else ids
    return pa.table({"id": ids, "correct": correct})


def cells(n=400, seed=0, count=3):
    """Return answers in `count` cells that vary together: [n, count]."""
    generator = np.random.default_rng(seed)
    ease = generator.random((n, 1))
    return ease + generator.normal(0, 0.2, (n, count)) < np.linspace(0.3, 0.7, count)


def accuracies(right, ids=None):
    return bootstrap.accuracies([table(column, ids) for column in right.T])


def test_resamples_are_percentages_with_the_images_mean_and_joint_spread():
    right = cells()
    found = accuracies(right)
    assert found.shape == (bootstrap.RESAMPLES, 3)
    assert 0 <= found.min() and found.max() <= 100
    # Whole numbers of images.
    np.testing.assert_allclose(found * 4, np.round(found * 4), atol=1e-9)
    error = 100 * right.std(axis=0) / np.sqrt(len(right))
    # Five standard errors of a mean of 1000 resamples.
    assert (
        np.abs(found.mean(axis=0) - 100 * right.mean(axis=0))
        < 5 * error / np.sqrt(1000)
    ).all()
    # A standard deviation of 1000 is known to 2.2 %: five of those.
    np.testing.assert_allclose(found.std(axis=0), error, rtol=0.11)
    # A correlation near 0.7 of 1000 is known to 0.02; independent draws would have 0.
    np.testing.assert_allclose(np.corrcoef(found.T), np.corrcoef(right.T), atol=0.1)


def test_the_order_of_the_images_does_not_matter():
    right = cells()
    order = np.random.default_rng(1).permutation(len(right))
    np.testing.assert_array_equal(accuracies(right), accuracies(right[order]))


def test_the_same_answers_have_the_same_resamples():
    np.testing.assert_array_equal(accuracies(cells()), accuracies(cells()))
    equal = accuracies(np.repeat(cells(count=1), 2, axis=1))
    np.testing.assert_array_equal(equal[:, 0], equal[:, 1])


def test_records_of_other_images_are_refused():
    ids = np.arange(400, dtype=np.uint64)
    other = ids.copy()
    other[7] = 1000
    right = cells()[:, 0]
    for wrong in (table(right, other), table(right[:300])):
        with pytest.raises(ValueError, match="got records of different images"):
            bootstrap.accuracies([table(right, ids), wrong])


def test_intervals_cover_the_truth_as_often_as_they_should(monkeypatch):
    """The difference of two cells' accuracies, which vary together."""
    monkeypatch.setattr(bootstrap, "RESAMPLES", 250)  # enough for 200 intervals
    covered = 0
    for seed in range(200):
        drawn = accuracies(cells(200, seed, 2))
        found = bootstrap.interval(drawn[:, 1] - drawn[:, 0], np.ones(len(drawn), bool))
        covered += found.low <= TRUE_DIFFERENCE <= found.high
        assert not found.remark
    # 95 % of 200 and five standard errors of 1.5 % to either side, less 1 % that
    # percentiles of 200 images lack.
    assert 0.86 * 200 <= covered <= 200
    # Were the cells taken for independent, intervals would be twice as wide and
    # cover all: so that too many are refused as well.
    assert covered < 0.995 * 200


TRUE_DIFFERENCE = 100 * float(np.diff(cells(10**6, 12345, 2).mean(axis=0))[0])


def test_an_interval_is_of_the_percentiles():
    numbers = np.random.default_rng(0).permutation(1000).astype(float)
    found = bootstrap.interval(numbers, np.ones(1000, bool))
    assert (found.low, found.high) == (24.975, 974.025)


@pytest.mark.parametrize(
    "ends, expected, remark",
    [
        ((0.6, 3.4), (0.6, 3.4), ""),
        ((0.5, 3.4), (np.nan, 3.4), "interval open below: "),
        ((0.6, 3.5), (0.6, np.nan), "interval open above: "),
        ((0.5, 3.5), (np.nan, np.nan), "no interval: "),
        ((0.5, 0.5), (np.nan, np.nan), "no interval: "),
        ((3.5, 3.5), (np.nan, np.nan), "no interval: "),
    ],
)
def test_ends_at_the_edge_of_what_is_tested_are_open(ends, expected, remark):
    found = bootstrap.opened(bootstrap.Interval(*ends), 0.5, 3.5)
    np.testing.assert_array_equal((found.low, found.high), expected)
    assert found.remark.startswith(remark) and bool(found.remark) == bool(remark)


def test_no_interval_is_opened():
    none = bootstrap.Interval(remark="too few")
    assert bootstrap.opened(none, 0.5, 3.5) is none


def test_resamples_without_the_number_are_left_out_if_they_are_few():
    numbers = np.arange(1000.0)
    valid = numbers >= 50  # 5 % have none
    found = bootstrap.interval(np.where(valid, numbers, np.nan), valid)
    assert 50 <= found.low < 100 < found.high
    valid = numbers >= 51
    found = bootstrap.interval(np.where(valid, numbers, np.nan), valid)
    assert np.isnan([found.low, found.high]).all()
    assert found.remark == "no interval: 51 of 1000 resamples have no number"
