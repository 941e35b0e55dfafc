"""Is coloured noise of low frequencies added?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.brownish_noise import BrownishNoise

NAME = "brownish_noise"
SHARE = 5e-4  # a Fourier transform in float32; 7e-6 of whole images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, BrownishNoise(severity), SHARE)


@pytest.mark.parametrize("shape", [(93, 130), (96, 65)])
def test_fresh_draws_give_what_the_formula_gives(shape):
    cbar.demand_formula(NAME, BrownishNoise, SHARE, shape=shape)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(BrownishNoise(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(BrownishNoise(1), count=2)
    assert set(draws) == {"phases"} and draws["phases"].shape == (2, 3, 224, 112)
    cbar.demand_uniform(draws["phases"], 0, 2 * np.pi)
    colours = draws["phases"].reshape(2, 3, -1)
    assert np.abs(np.corrcoef(colours[0])[np.triu_indices(3, 1)]).max() < 0.03
