"""Paired statistics have their textbook values."""

import math

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
