"""Do gains hold the bands that they should?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import filters

SHAPES = [(224, 224, 3), (31, 50, 3), (28, 33, 3)]
FRACTIONS = (0.01, 0.1, 0.30000000000000004, 0.5, 0.9, 0.99)


def full(gain, width):
    """Return the gain on the grid of `fft2`, by the symmetry of real images."""
    mirrored = np.roll(gain[::-1], 1, axis=0)[:, ::-1]
    left = mirrored[:, (1 if width % 2 == 0 else 0) : -1]
    return np.concatenate([gain, left], axis=1)


@pytest.mark.parametrize("fraction", FRACTIONS)
def test_the_paper_s_box_has_half_gains_on_its_border_only(fraction):
    gain = filters.box(fraction, (224, 224, 3))
    assert set(np.unique(gain)) <= {0, 0.5, 1}
    assert gain[0, 0] == 1
    r, _ = filters.half_widths(fraction, (224, 224, 3))
    assert (gain[:r, :r] == 1).all() and (gain[r, :r] == 0.5).all()
    assert gain[r, r] == 0.5 and gain[-r, r] == 0
    # 2 r lines of 2 r frequencies are in the box, at whatever gain.
    assert full(gain, 224).sum() == (2 * r) ** 2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("fraction", FRACTIONS)
def test_a_disc_is_symmetric_and_holds_its_border(shape, fraction):
    gain = full(filters.disc(fraction, shape), shape[1])
    assert gain.shape == shape[:2]
    assert set(np.unique(gain)) <= {0, 1} and gain[0, 0] == 1
    for axis in (0, 1):
        np.testing.assert_array_equal(gain, np.roll(np.flip(gain, axis), 1, axis))
    if shape[0] == shape[1]:
        np.testing.assert_array_equal(gain, gain.T)


def test_a_disc_is_the_definition_s():
    u = np.fft.fftfreq(224, 1 / 224)
    distance = np.sqrt(u[:, None] ** 2 + u[None, :113] ** 2)
    for fraction in FRACTIONS:
        gain = filters.disc(fraction, (224, 224, 3))
        np.testing.assert_array_equal(gain, distance <= fraction * 112)
    assert filters.disc(0.5, (224, 224, 3))[56, 0] == 1  # a radius of 56, met exactly
    assert filters.disc(0.5, (224, 224, 3))[56, 1] == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_a_gain_of_1_returns_the_image_and_half_the_gain_half_of_it(shape):
    image = jnp.asarray(np.random.default_rng(0).random(shape), jnp.float32)
    spectrum = filters.Fourier()(jax.random.key(0), image)
    assert spectrum.shape == shape[:2]
    ones = np.ones((shape[0], shape[1] // 2 + 1), np.float32)
    # Two float32 transforms.
    np.testing.assert_allclose(filters.filtered(spectrum, ones), image, atol=2e-6)
    half = filters.filtered(spectrum, ones / 2)
    np.testing.assert_allclose(half, image / 2, atol=2e-6)
    assert filters.filtered(spectrum, 3 * ones).max() == 1  # clipped
