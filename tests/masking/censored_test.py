"""Are Gaussians found again, as an optimiser of its own finds them?"""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize

from biases_jax.masking import censored
from biases_jax.masking.thresholds import ABOVE, BELOW, WITHIN, Continuous

BANDS = np.arange(7.0)
LOWER, UPPER = (0, -1, 0.2), (4.5, 7, 4)


def curve(amplitude, centre, width):
    return amplitude * np.exp(-((BANDS - centre) ** 2) / (2 * width**2))


def seen(values):
    """Return what is seen of thresholds: those in [0.5, 3.5], else which side."""
    where = np.where(values < 0.5, BELOW, np.where(values > 3.5, ABOVE, WITHIN))
    return Continuous(np.clip(values, 0.5, 3.5), where)


def misses(parameters, thresholds):
    """State the cost: a censored threshold counts on the wrong side of it only."""
    found = []
    for value, threshold, side in zip(curve(*parameters), *thresholds, strict=True):
        miss = value - threshold
        if side == BELOW:
            miss = max(miss, 0.0)
        if side == ABOVE:
            miss = min(miss, 0.0)
        found.append(miss)
    return np.array(found)


def reference(thresholds):
    """Return parameters and cost of the best of many starts of SciPy's optimiser."""
    starts = itertools.product((0.5, 3), np.arange(-0.5, 7, 1.5), (0.4, 1, 3))
    found = [
        optimize.least_squares(
            misses,
            start,
            bounds=(LOWER, UPPER),
            args=(thresholds,),
            xtol=1e-12,
            ftol=1e-12,
            gtol=1e-12,
        )
        for start in starts
    ]
    best = min(found, key=lambda result: result.cost)
    return best.x, 2 * best.cost


GAUSSIANS = [
    (3.0, 3.5, 0.8),
    (3.3, 4.2, 1.6),
    (2.0, 1.0, 2.5),
    (4.2, 3.0, 1.2),  # the peak itself is beyond the tested noise
    (3.0, 5.8, 2.0),  # the right half is hardly tested
    (1.2, 3.0, 3.5),
]


@pytest.mark.parametrize("parameters", GAUSSIANS)
def test_a_gaussian_is_found_of_what_is_seen_of_it(parameters):
    thresholds = seen(curve(*parameters))
    found = censored.fit(thresholds)
    assert not found.reason
    # No noise: what the descent leaves open, a slope of 1e-7.
    np.testing.assert_allclose(
        (found.amplitude, found.centre, found.width), parameters, atol=1e-6
    )
    assert found.residual < 1e-8
    beyond = int((thresholds.censored != WITHIN).sum())
    assert (f"{beyond} of 7 thresholds censored" in found.remarks) == (beyond > 0)
    assert not [remark for remark in found.remarks if "bound" in remark]


# Of the others fewer than three thresholds lie within the tested noise: no fit.
@pytest.mark.parametrize("seed", [2, 3, 4, 5, 8, 9, 10, 11])
def test_the_fit_is_as_good_as_the_best_of_many_starts(seed):
    """Noisy thresholds, with some that no Gaussian within the bounds follows."""
    generator = np.random.default_rng(seed)
    parameters = generator.uniform((1.5, 0.5, 0.5), (4.5, 6.5, 3))
    thresholds = seen(curve(*parameters) + generator.normal(0, 0.3, 7))
    found = censored.fit(thresholds)
    expected, cost = reference(thresholds)
    own = (found.amplitude, found.centre, found.width)
    # Ours stops at a slope of 1e-7 and is then no farther from the least cost.
    np.testing.assert_allclose((misses(own, thresholds) ** 2).sum(), cost, atol=1e-7)
    np.testing.assert_allclose(found.residual**2 * 7, cost, atol=1e-7)
    np.testing.assert_allclose(own, expected, atol=2e-3)
    bounds = [
        f"{name} at its bound"
        for name, value, low, high in zip(
            ("amplitude", "centre", "width"), expected, LOWER, UPPER, strict=True
        )
        if min(value - low, high - value) < 1e-6
    ]
    assert [remark for remark in found.remarks if "bound" in remark] == bounds


def test_bounds_hold_and_are_told():
    # A rise to the last band: the best centre lies beyond what is allowed.
    found = censored.fit(seen(np.array([0.6, 0.7, 0.9, 1.2, 1.6, 2.3, 3.2])))
    assert found.centre == 7.0
    assert "centre at its bound" in found.remarks
    assert "centre outside the tested bands" in found.remarks
    # Equal thresholds: wider than any band.
    found = censored.fit(seen(np.full(7, 2.0)))
    assert found.width == 4.0
    assert "width at its bound" in found.remarks
    assert found.residual > 0.1


def test_a_fit_through_as_many_thresholds_as_parameters_says_that_it_is_untested():
    for values, untested in (
        ([0.2, 0.2, 1.0, 2.5, 1.3, 0.2, 0.2], True),
        ([0.2, 0.7, 1.0, 2.5, 1.3, 0.2, 0.2], False),  # four of them
        # One more is missed, as the Gaussian lies on its wrong side.
        ([4.0, 0.2, 1.0, 2.5, 1.3, 0.2, 0.2], False),
    ):
        found = censored.fit(seen(np.array(values)))
        assert (found.residual < 1e-6) == untested
        assert (censored.UNTESTED in found.remarks) == untested


def test_censored_thresholds_pull_only_towards_their_side():
    thresholds = seen(curve(3.0, 3.5, 0.8))
    # What is known of a censored one is its side: not how far beyond.
    assert censored.fit(thresholds).residual < 1e-8
    taken = Continuous(thresholds.threshold, np.full(7, WITHIN))
    assert censored.fit(taken).residual > 0.1
    # A Gaussian on the wrong side of one does miss it.
    wrong = seen(np.where(BANDS == 0, 4.0, curve(3.0, 3.5, 0.8)))
    assert censored.fit(wrong).residual > 0.1


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (np.zeros(7), "no masking effect: the strongest noise is borne everywhere"),
        (np.full(7, 4.0), "censored everywhere: the weakest noise is borne nowhere"),
        (
            np.array([0, 0, 0, 2, 2, 0, 0.0]),
            "not identified: 2 of 7 thresholds lie within the tested noise, at least 3 "
            "are needed",
        ),
    ],
)
def test_too_few_thresholds_are_no_gaussian(values, reason):
    found = censored.fit(seen(values))
    assert found.reason == reason
    assert all(math.isnan(number) for number in found.numbers.values())


def test_no_convergence_is_told(monkeypatch):
    monkeypatch.setattr(censored, "STEPS", 1)
    found = censored.fit(seen(curve(3.0, 3.4, 0.8) + 0.1))
    assert found.reason == "the fit failed: no start converged"
    assert math.isnan(found.residual)


def test_many_fits_are_those_of_each_alone():
    generator = np.random.default_rng(0)
    many = [
        seen(curve(*parameters) + generator.normal(0, 0.2, 7))
        for parameters in GAUSSIANS
    ] + [seen(np.zeros(7))]
    fits = censored.fit_many(Continuous(*map(np.stack, zip(*many, strict=True))))
    assert fits.identified.tolist() == [True] * len(GAUSSIANS) + [False]
    for parameters, thresholds in zip(fits.parameters[:-1], many, strict=False):
        found = censored.fit(thresholds)
        # Elsewhere in a stack of matrices the last digits may differ.
        np.testing.assert_allclose(
            parameters, (found.amplitude, found.centre, found.width), atol=1e-7
        )
