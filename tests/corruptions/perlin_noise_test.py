"""Is an image blended with turbulent clouds?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.perlin_noise import PerlinNoise

NAME = "perlin_noise"
SHARE = 1.5e-3  # the reference multiplies in float32, too; 2.6e-4 of images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, PerlinNoise(severity), SHARE)


# Of the second, the finest lattice is longer than its period of 256 cells.
@pytest.mark.parametrize("shape", [(93, 130), (33, 600)])
def test_fresh_draws_give_what_the_formula_gives(shape):
    cbar.demand_formula(NAME, PerlinNoise, SHARE, shape=shape)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(PerlinNoise(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(PerlinNoise(1), count=200)
    order, gradients = draws.pop("permutation"), draws.pop("gradients")
    assert not draws
    np.testing.assert_array_equal(np.sort(order), np.tile(np.arange(256), (200, 1)))
    cbar.demand_whole(order[:, 17], 0, 256)
    np.testing.assert_allclose(np.hypot(*gradients.T), 1, rtol=1e-6)
    # The directions from points of a square: more of them go to its corners.
    points = np.random.default_rng(0).integers(-256, 256, (200_000, 2))
    expected = np.abs(points[:, 0] / np.maximum(np.hypot(*points.T), 1))
    quarters = [0.1, 0.25, 0.5, 0.75, 0.9]
    found = np.quantile(np.abs(gradients[..., 0]), quarters)
    # 51,200 gradients: the SDs of their quantiles are 0.003 at most.
    np.testing.assert_allclose(found, np.quantile(expected, quarters), atol=0.012)
