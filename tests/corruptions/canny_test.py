"""Are edges those that the definition of Canny's detector names?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import skimage.data
from corruptions import reference_spatter
from scipy import ndimage

from biases_jax.corruptions import canny


def blurred(deviation, seed, shape):
    layer = np.random.RandomState(seed).standard_normal(shape)
    layer = ndimage.gaussian_filter(layer, deviation)
    layer = 128 + 60 * layer / layer.std()
    return np.where(layer < 150, 0, layer).clip(0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    "image",
    [
        blurred(4, 0, (97, 75)),
        blurred(1, 1, (97, 75)),
        skimage.data.coffee()[20:117, 100:175, 1],
        np.zeros((97, 75), np.uint8),
    ],
    ids=["drops", "droplets", "photograph", "nothing"],
)
def test_edges_are_those_of_the_definition(image):
    found = np.asarray(jax.jit(canny.edges)(image))
    np.testing.assert_array_equal(found, reference_spatter.edges(image))


def test_a_path_of_any_length_joins():
    # A snake of 31 turns: longer than any fixed number of rounds.
    allowed = np.zeros((63, 63), bool)
    allowed[::2] = True
    allowed[1::4, -1] = allowed[3::4, 0] = True
    chosen = np.zeros_like(allowed)
    chosen[0, 0] = True
    found = canny.connected(jnp.asarray(allowed), jnp.asarray(chosen))
    np.testing.assert_array_equal(found, allowed)
    apart = allowed.copy()
    apart[31] = False
    found = canny.connected(jnp.asarray(apart), jnp.asarray(chosen))
    apart[32:] = False
    np.testing.assert_array_equal(found, apart)
