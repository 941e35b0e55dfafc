"""Does the interval know that decisions on images of one shape are alike?"""

import numpy as np
import pytest

from biases_jax import clusters, proportions


def test_the_interval_is_that_of_clusters_drawn_with_replacement():
    generator = np.random.default_rng(5)
    first, second = generator.integers(0, 8, (2, 40))
    found = clusters.share(first, second)
    shares = []
    for _ in range(20_000):
        chosen = generator.choice(40, 40)
        one, other = first[chosen].sum(), second[chosen].sum()
        shares.append(100 * one / (one + other))
    assert found.value == 100 * first.sum() / (first + second).sum()
    assert found.n == (first + second).sum()
    # A quantile of 2,000 draws lies within a few hundredths of the distribution's
    # deviation (here about 3.5): 5 of its standard errors are below 0.6.
    expected = np.quantile(shares, (0.025, 0.975))
    np.testing.assert_allclose((found.low, found.high), expected, atol=0.6)
    assert found == clusters.share(first, second)


def test_clusters_that_agree_within_widen_the_interval():
    whole, half = np.repeat([8, 0], 10), np.repeat([4, 4], 10)
    alike = clusters.share(whole, 8 - whole)
    mixed = clusters.share(half, 8 - half)
    plain = proportions.wilson(80, 160)
    assert alike.value == mixed.value == plain.value == 50
    # Of 20 clusters that each are for one cue, as if 20 decisions were made, not 160.
    assert 2 < (alike.high - alike.low) / (plain.high - plain.low) < 3.5
    assert mixed.low == mixed.high == 50


@pytest.mark.slow
def test_the_interval_covers_the_truth_as_often_as_it_says():
    covered = {"clusters": 0, "wilson": 0}
    generator = np.random.default_rng(0)
    for _ in range(300):
        chances = generator.beta(1, 1, 160)  # of the shape, on images of one shape
        first = generator.binomial(8, chances)
        found = clusters.share(first, 8 - first)
        covered["clusters"] += found.low <= 50 <= found.high
        plain = proportions.wilson(int(first.sum()), 8 * 160)
        covered["wilson"] += plain.low <= 50 <= plain.high
    # 95 % of 300 is 285, with a standard error of 4.
    assert covered["clusters"] > 285 - 12
    assert covered["wilson"] < 240


def test_too_few_decisions_have_no_interval_and_say_why():
    none = clusters.share(np.zeros(5, int), np.zeros(5, int))
    assert np.isnan(none.value) and "no decision" in none.reason
    one = clusters.share(np.array([3]), np.array([1]))
    assert one.value == 75 and np.isnan(one.low) and "one cluster" in one.reason
    few = clusters.share(np.array([3, 0, 0, 0]), np.array([1, 0, 0, 0]))
    assert few.value == 75 and few.n == 4 and np.isnan(few.low)
    assert "too few clusters" in few.reason


def test_decisions_that_are_all_alike_have_an_interval_of_one_point():
    found = clusters.share(np.full(160, 3), np.zeros(160, int))
    assert (found.value, found.low, found.high) == (100, 100, 100)
