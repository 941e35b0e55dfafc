"""Paired statistics have their textbook values."""

import math

import numpy as np
import pytest

from biases_jax import paired


@pytest.mark.parametrize(
    "lost, gained, p",
    [
        (0, 0, 1.0),
        (5, 5, 1.0),
        (0, 3, 2 / 2**3),  # two tails of one outcome each
        (1, 5, 2 * (1 + 6) / 2**6),
        (8, 2, 2 * (1 + 10 + 45) / 2**10),
    ],
)
def test_mcnemar_is_the_exact_binomial_test_of_discordant_pairs(lost, gained, p):
    # 1e-12: the same rationals, summed in another order.
    assert paired.mcnemar(lost, gained) == pytest.approx(p, rel=1e-12)


def test_the_difference_has_the_adjusted_wald_interval():
    value = paired.difference(lost=4, gained=10, n=100)
    assert value.value == pytest.approx(6.0) and value.n == 100
    b, c, n = 4.5, 10.5, 102
    half = 1.959964 * math.sqrt(b + c - (c - b) ** 2 / n) / n
    # 1e-6: the digits of the quantile above.
    assert value.low == pytest.approx(100 * ((c - b) / n - half), abs=1e-4)
    assert value.high == pytest.approx(100 * ((c - b) / n + half), abs=1e-4)


def test_equal_answers_still_leave_an_interval():
    value = paired.difference(0, 0, 50)
    assert value.value == 0 and value.low < 0 < value.high
    assert value.low == pytest.approx(-value.high)


def test_no_examples_give_nan_with_a_reason():
    value = paired.difference(0, 0, 0)
    assert math.isnan(value.value) and value.reason


@pytest.mark.parametrize(
    "p, adjusted",
    [
        ([], []),
        ([0.2], [0.2]),
        # 4 * 0.005, 3 * 0.01, 2 * 0.03, and no less than the one before for 0.04.
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.4, 0.6, 0.6], [1, 1, 1]),
    ],
)
def test_holm_multiplies_by_how_many_are_left(p, adjusted):
    found = paired.holm(np.array(p, float))
    # 1e-12: products of the same numbers.
    np.testing.assert_allclose(found, adjusted, rtol=1e-12)


RATIO = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
SHARE = ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0))


def test_a_ratio_has_the_delta_method_s_interval():
    generator = np.random.default_rng(0)
    x, y = generator.random((2, 4000)) < [[0.3], [0.7]]
    low, high = paired.ratio_interval(x * 1.0, y * 1.0, *RATIO)
    ratio = x.mean() / y.mean()
    half = 1.96 * np.std(x - ratio * y) / y.mean() / math.sqrt(4000)
    # The half examples that are added are four of 4000 at most: 0.1 %.
    assert low == pytest.approx(ratio - half, rel=2e-3)
    assert high == pytest.approx(ratio + half, rel=2e-3)


@pytest.mark.parametrize("n, rate", [(50, 0.05), (200, 0.3), (2000, 0.02)])
@pytest.mark.parametrize("form", [RATIO, SHARE], ids=["ratio", "share"])
def test_intervals_of_ratios_hold_the_true_one_about_as_often_as_they_say(
    n, rate, form
):
    generator = np.random.default_rng(1)
    trials, held = 1000, 0
    truth = {"ratio": rate / 0.7, "share": rate / (rate + 0.7)}
    expected = truth["ratio" if form is RATIO else "share"]
    for _ in range(trials):
        easy = generator.random(n)  # an image that is right filtered is right clean
        y = (easy < 0.7) * 1.0
        x = (easy < rate) * 1.0
        low, high = paired.ratio_interval(x, y, *form)
        held += low <= expected <= high
    # 95 %, wider by the added examples where there are few: 5 standard errors of 1000
    # trials below, as the delta method is of large samples.
    assert 0.915 <= held / trials <= 1


def test_no_right_answer_still_leaves_an_interval_of_the_ratio():
    x, y = np.zeros(50), np.ones(50)
    low, high = paired.ratio_interval(x, y, *RATIO)
    assert low < 0 < high < 0.1
    assert all(map(math.isnan, paired.ratio_interval(x[:0], y[:0], *RATIO)))
