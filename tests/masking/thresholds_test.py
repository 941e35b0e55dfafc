"""Are octaves of noise counted as in the paper, and crossings where they are?"""

import numpy as np
import pytest

from biases_jax.masking import thresholds
from biases_jax.masking.thresholds import ABOVE, BELOW, WITHIN

# Accuracies at SD .02, .04, .08, .16 against a criterion of 50, and the threshold.
COLUMNS = {
    "all is borne": ((90, 80, 70, 51), 0),
    "not the strongest": ((90, 80, 70, 50), 1),  # to equal it is not to pass
    "half of it": ((90, 80, 50, 10), 2),
    "only the weakest": ((50.1, 40, 30, 20), 3),
    "nothing": ((50, 40, 30, 20), 4),
    "the strongest hides others": ((90, 10, 10, 60), 0),
    "a stronger one hides a weaker": ((10, 60, 10, 10), 2),
}


def scanned(column, criterion):
    """State the paper's scan: from the strongest noise down to the first success."""
    for rejected, accuracy in enumerate(reversed(column)):
        if accuracy > criterion:
            return rejected
    return len(column)


def of(columns, criterion=50.0):
    """Return accuracies of one model, [1, 4, n], and its criterion."""
    return np.array(columns, float).T[None], np.array([criterion])


@pytest.mark.parametrize("name", COLUMNS)
def test_integer_thresholds_count_rejected_strengths(name):
    column, expected = COLUMNS[name]
    assert thresholds.integer(*of([column])).tolist() == [[expected]]
    assert scanned(column, 50) == expected


def test_integer_thresholds_are_those_of_a_scan():
    accuracies = np.random.default_rng(0).uniform(0, 100, (200, 4, 7))
    criterion = np.random.default_rng(1).uniform(20, 80, 200)
    found = thresholds.integer(accuracies, criterion)
    expected = [
        [scanned(column, own) for column in model.T]
        for model, own in zip(accuracies, criterion, strict=True)
    ]
    np.testing.assert_array_equal(found, expected)
    assert set(found.ravel().tolist()) == {0, 1, 2, 3, 4}


def test_a_line_in_log2_sd_is_crossed_where_it_is():
    """accuracy = 50 + slope * (threshold - octaves below 0.16 - 1/2), at each SD."""
    expected = np.linspace(0.55, 3.45, 30)
    octaves = np.log2(0.16 / np.array(thresholds.SDS))
    for slope in (3.0, 12.0):
        accuracies = 50 - slope * (expected[None] - 0.5 - octaves[:, None])
        found = thresholds.continuous(accuracies[None], np.array([50.0]))
        # Sums of numbers up to 100 in float64, divided by at least 3.
        np.testing.assert_allclose(found.threshold[0], expected, atol=1e-13)
        assert (found.censored == WITHIN).all()
        integers = thresholds.integer(accuracies[None], np.array([50.0]))
        assert np.abs(found.threshold - integers).max() <= 0.5


def test_the_sd_of_a_threshold_is_its_octaves_below_the_strongest():
    # 60 % right at 0.04 and 40 % at 0.08: half right at the geometric mean.
    found = thresholds.continuous(*of([(80, 60, 40, 20)]))
    np.testing.assert_allclose(
        found.threshold, np.log2(0.16 / np.sqrt(0.04 * 0.08)) + 0.5, atol=1e-14
    )
    # 55 % and 45 % of which the criterion, 52 %, lies nearer the weaker noise.
    found = thresholds.continuous(*of([(80, 55, 45, 20)], 52.0))
    np.testing.assert_allclose(
        found.threshold, np.log2(0.16 / (0.04 * 2**0.3)) + 0.5, atol=1e-14
    )


def test_what_lies_beyond_the_tested_noise_is_censored():
    columns = [COLUMNS[n][0] for n in ("all is borne", "half of it", "nothing")]
    found = thresholds.continuous(*of(columns))
    assert found.censored.tolist() == [[BELOW, WITHIN, ABOVE]]
    assert found.threshold[0, [0, 2]].tolist() == [0.5, 3.5]


def test_only_the_strongest_noise_that_is_borne_counts():
    found = thresholds.continuous(*of([(10, 60, 10, 10), (90, 10, 10, 60)]))
    np.testing.assert_allclose(found.threshold[0], [2.5 - 10 / 50, 0.5])
    assert found.censored.tolist() == [[WITHIN, BELOW]]


def test_models_have_criteria_of_their_own():
    columns = np.array([(80.0, 60, 40, 20)] * 2).T
    accuracies = np.stack([columns, columns])
    found = thresholds.continuous(accuracies, np.array([50.0, 30.0]))
    np.testing.assert_allclose(found.threshold, [[2, 2], [1, 1]])
    assert thresholds.integer(accuracies, np.array([50.0, 10.0])).tolist() == [
        [2, 2],
        [0, 0],
    ]
