"""Are white stars laid over an image?"""

import jax
import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.sparkles import RADIUS, Sparkles

NAME = "sparkles"
SHARE = 1e-3  # angles in float32, times 200 rays; 7e-5 of whole images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, Sparkles(severity), SHARE)


def test_fresh_draws_give_what_the_formula_gives():
    cbar.demand_formula(NAME, Sparkles, SHARE)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(Sparkles(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(Sparkles(5), (100, 300, 3))
    cbar.demand_uniform(draws.pop("param_centers") / np.array([100, 300]), 0, 1)
    cbar.demand_whole(draws.pop("param_nrays"), 50, 200)
    lengths = draws.pop("ray_lengths")
    assert lengths.shape == (2000, 5, 200) and not draws
    longer = lengths[:10][lengths[:10] > 1]  # 1 is the least: 3.7 SDs below the mean
    cbar.demand_normal(longer, 13.44, 0.25 * 13.44)


def test_severities_differ_by_the_scale_of_the_same_stars():
    key = jax.random.key(0)
    low, high = (Sparkles(severity).sample(key, (64, 64, 3)) for severity in (3, 5))
    np.testing.assert_array_equal(low["param_centers"], high["param_centers"])
    np.testing.assert_array_equal(low["param_nrays"], high["param_nrays"])
    longer = low["ray_lengths"] > 1
    ratio = high["ray_lengths"][longer] / low["ray_lengths"][longer]
    np.testing.assert_allclose(ratio, RADIUS[4] / RADIUS[2], rtol=1e-5)
