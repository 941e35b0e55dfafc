"""Is an image left where blue noise is high?"""

import jax
import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.blue_noise_sample import BlueNoiseSample

NAME = "blue_noise_sample"
ISOLATED = 2e-4  # pixels whose noise is at the threshold; none measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, BlueNoiseSample(severity), 0)


@pytest.mark.parametrize("shape", [(93, 130), (96, 65)])
def test_fresh_draws_give_what_the_formula_gives(shape):
    cbar.demand_formula(NAME, BlueNoiseSample, 0, ISOLATED, shape)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(BlueNoiseSample(5))


def test_pixels_left_are_those_of_normal_noise():
    image = np.full((224, 224, 3), 200, np.uint8)
    for severity, expected in ((1, 0.98809), (5, 0.79389)):  # Phi(2.26), Phi(0.82)
        output = np.asarray(BlueNoiseSample(severity)(jax.random.key(0), image))
        # 50,176 correlated pixels: between images it varies by about 0.001.
        assert abs((output == 200).mean() - expected) < 0.005
        assert set(np.unique(output)) == {0, 200}


def test_draws_have_the_published_distribution():
    draws = cbar.samples(BlueNoiseSample(1), count=2)
    assert set(draws) == {"phases"} and draws["phases"].shape == (2, 224, 112)
    cbar.demand_uniform(draws["phases"], 0, 2 * np.pi)
