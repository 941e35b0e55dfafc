"""Is the integer transform the cosine transform but for its rounding?"""

import jax.numpy as jnp
import numpy as np
from scipy import fft

from biases_jax.corruptions import jpeg_transform

BLOCKS = np.random.default_rng(0).integers(-128, 128, (8, 8, 500)).astype(np.int32)


def test_forward_is_eight_times_the_cosine_transform():
    found = np.asarray(jpeg_transform.forward(jnp.asarray(BLOCKS), 0, 1))
    expected = 8 * fft.dctn(BLOCKS, axes=(0, 1), norm="ortho")
    # Two roundings: half a quarter, spread by the second pass, and half.
    assert np.abs(found - expected).max() < 2
    assert abs((found - expected).mean()) < 0.1


def test_inverse_is_the_inverse():
    coefficients = np.rint(fft.dctn(BLOCKS, axes=(0, 1), norm="ortho")).astype(np.int32)
    found = np.asarray(jpeg_transform.inverse(jnp.asarray(coefficients), 0, 1))
    expected = fft.idctn(coefficients, axes=(0, 1), norm="ortho")
    assert np.abs(found - expected).max() < 1
    assert (found == np.rint(expected)).mean() > 0.9


def test_any_two_axes_may_be_a_blocks():
    swapped = jpeg_transform.forward(jnp.asarray(BLOCKS.transpose(1, 2, 0)), 2, 0)
    expected = np.asarray(jpeg_transform.forward(jnp.asarray(BLOCKS), 0, 1))
    np.testing.assert_array_equal(np.asarray(swapped).transpose(2, 0, 1), expected)
