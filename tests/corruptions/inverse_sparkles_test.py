"""Is an image left in a star, and white around it?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.inverse_sparkles import InverseSparkles

NAME = "inverse_sparkles"
SHARE = 1.5e-3  # angles in float32, times 200 rays; 1e-4 of whole images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, InverseSparkles(severity), SHARE)


def test_fresh_draws_give_what_the_formula_gives():
    cbar.demand_formula(NAME, InverseSparkles, SHARE)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(InverseSparkles(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(InverseSparkles(1), (100, 300, 3))
    cbar.demand_uniform(draws.pop("param_center") / np.array([100, 300]), 0.25, 0.75)
    cbar.demand_whole(draws.pop("param_rays"), 50, 200)
    cbar.demand_normal(draws.pop("ray_lengths")[:50], 56, 14)
    assert not draws
