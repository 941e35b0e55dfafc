"""Are the polynomials sines, cosines and angles?"""

import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.corruptions import trigonometry

# Two units in the last place of values near 1; the rest is the polynomials' own error.
PRECISION = 3e-7


@pytest.mark.parametrize("largest", [4.0, 1000.0])
def test_sines_and_cosines_are_as_good_as_float32(largest):
    radians = np.linspace(-largest, largest, 40_001).astype(np.float32)
    given, exact = jnp.asarray(radians), radians.astype(np.float64)
    sine, cosine = trigonometry.sine(given), trigonometry.cosine(given)
    np.testing.assert_allclose(sine, np.sin(exact), rtol=0, atol=PRECISION)
    np.testing.assert_allclose(cosine, np.cos(exact), rtol=0, atol=PRECISION)


def test_angles_are_as_good_as_float32():
    turns = np.linspace(-3.14, 3.14, 5001)
    y, x = (7 * np.stack([np.sin(turns), np.cos(turns)])).astype(np.float32)
    found = trigonometry.angle(jnp.asarray(y), jnp.asarray(x))
    expected = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2 * PRECISION)


def test_angles_on_the_axes_and_at_the_origin_are_those_of_arctan2():
    y, x = jnp.array([0.0, 0, 1, -1, 0]), jnp.array([1.0, -1, 0, 0, 0])
    expected = [0, np.pi, np.pi / 2, -np.pi / 2, 0]
    np.testing.assert_allclose(trigonometry.angle(y, x), expected, atol=PRECISION)
