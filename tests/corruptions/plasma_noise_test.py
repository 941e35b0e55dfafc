"""Is an image blended with coloured plasma?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.plasma_noise import PlasmaNoise

NAME = "plasma_noise"
SHARE = 1.5e-3  # sines of up to 400 radians in float32; 1.2e-4 of whole images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, PlasmaNoise(severity), SHARE)


def test_fresh_draws_give_what_the_formula_gives():
    cbar.demand_formula(NAME, PlasmaNoise, SHARE)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(PlasmaNoise(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(PlasmaNoise(1))
    cbar.demand_uniform(draws.pop("param_time"), 0, 6 * np.pi)
    cbar.demand_whole(draws.pop("param_iterations"), 4, 7)
    cbar.demand_uniform(draws.pop("param_sharpness"), 0.5, 1)
    cbar.demand_uniform(draws.pop("param_scale"), 224 * 0.075, 224 * 0.2)
    assert not draws
