"""Is an image seen as under rippled water, and lit by it?"""

import jax.numpy as jnp
import numpy as np
import pytest
from corruptions import cbar
from scipy import ndimage

from biases_jax.corruptions.caustic_refraction import CausticRefraction, moved

NAME = "caustic_refraction"
SHARE = 2.5e-3  # the eighth power of float32 sums; 1.4e-4 of whole images measured
ISOLATED = 5e-4  # pixels where a slope is just steep enough to refract


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, CausticRefraction(severity), SHARE)


@pytest.mark.parametrize("shape", [(93, 130), (300, 380)])
def test_fresh_draws_give_what_the_formula_gives(shape):
    cbar.demand_formula(NAME, CausticRefraction, SHARE, ISOLATED, shape)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(CausticRefraction(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(CausticRefraction(1))
    cbar.demand_uniform(draws.pop("param_time"), 0.5, 2)
    cbar.demand_uniform(draws.pop("param_size"), 168, 280)
    assert not draws


def test_places_in_and_far_outside_an_image_are_those_of_scipy():
    image = cbar.photograph(40, 57)
    move = np.random.default_rng(0).uniform(-99, 99, (2, 40, 57)).astype(np.float32)
    move[:, :, :20] /= 30  # near the left border, some across it
    move[:, 0, :3] = [[-1, -0.5, 0], [0, 0, -2.5]]
    found = moved(jnp.asarray(image), jnp.asarray(move))
    places = np.mgrid[:40, :57] + move.astype(float)
    for colour in range(3):
        expected = ndimage.map_coordinates(
            image[..., colour].astype(float), places, order=1, mode="grid-constant"
        )
        # float32 sums of values up to 255
        np.testing.assert_allclose(found[..., colour], expected, rtol=0, atol=1e-4)
