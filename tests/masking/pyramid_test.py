"""Is the pyramid that of Burt & Adelson with mirrored edges?"""

import jax
import jax.numpy as jnp
import masking_reference as reference
import numpy as np
import pytest

from biases_jax.masking import pyramid

SHAPES = [(224, 224), (129, 200), (131, 256)]


def field(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_bands_equal_filters_with_mirrored_edges_in_float64(shape):
    noise = field(shape)
    coefficients = pyramid.analyse(jnp.asarray(noise, jnp.float32))
    assert len(coefficients) == pyramid.LEVELS
    for level, expected in enumerate(reference.bands(noise)):
        band = pyramid.synthesise(coefficients, level, shape)
        # Differences of float32 numbers up to 5, some gained by twice that.
        np.testing.assert_allclose(band, expected, atol=3e-6)


def test_bands_equal_to_the_last_digits_in_float64():
    noise = field((224, 224))
    with jax.enable_x64(True):
        coefficients = pyramid.analyse(jnp.asarray(noise))
        bands = [pyramid.synthesise(coefficients, n, noise.shape) for n in range(7)]
        for band, expected in zip(bands, reference.bands(noise), strict=True):
            np.testing.assert_allclose(band, expected, atol=1e-14)


def test_levels_halve_and_their_fields_add_up_to_the_field():
    noise = jnp.asarray(field((224, 224)), jnp.float32)
    coefficients = pyramid.analyse(noise)
    assert [c.shape[0] for c in coefficients] == [224, 112, 56, 28, 14, 7, 4]
    total = sum(pyramid.synthesise(coefficients, n, (224, 224)) for n in range(7))
    np.testing.assert_allclose(total, noise, atol=5e-6)  # a sum of seven, float32


def test_a_constant_is_in_the_residual_alone():
    coefficients = pyramid.analyse(jnp.full((224, 224), 0.5, jnp.float32))
    for level in coefficients[:-1]:
        # Each step doubles the constant: 16 at the last band, in float32.
        np.testing.assert_allclose(level, 0, atol=1e-5)
    shown = pyramid.synthesise(coefficients, 6, (224, 224))
    np.testing.assert_allclose(shown, 0.5, atol=1e-6)


@pytest.mark.parametrize("size", [129, 130, 224])
def test_steps_are_matrices_of_the_mirrored_kernel(size):
    down, up = pyramid.down(size), pyramid.up(size)
    assert down.shape == ((size + 1) // 2, size)
    assert up.shape == (size, (size + 1) // 2)
    signal = field(size)
    filtered = reference.smooth(np.outer(signal, np.ones(9))) / reference.KERNEL.sum()
    np.testing.assert_allclose(down @ signal, filtered[::2, 4], atol=1e-14)
    # The steps' gains for a constant: the root of 2 down, of 1/2 up.
    np.testing.assert_allclose(down.sum(axis=1), np.sqrt(2), atol=1e-14)
    np.testing.assert_allclose(up.sum(axis=1), np.sqrt(0.5), atol=1e-14)


GAINS = [0.942918, 0.146562, 0.062425, 0.030828, 0.016071, 0.008543, 0.007481]


@pytest.mark.parametrize("level", range(7))
def test_the_bands_of_white_noise_have_the_exact_expected_power(level):
    """E[mean square] is the operator's squared norm: of rows and columns apart."""
    size = 224
    gaussian = np.eye(size)
    for n in [size, 112, 56, 28, 14, 7][:level]:
        gaussian = pyramid.down(n) @ gaussian
    synthesis = np.eye(size) if level == 0 else pyramid.up_from(level, size)
    kept = synthesis @ gaussian
    removed = np.zeros((size, size))
    if level < 6:
        removed = pyramid.up_from(level + 1, size) @ (
            pyramid.down(len(gaussian)) @ gaussian
        )
    # |K x K - R x R|^2 = |K|^4 - 2 <K, R>^2 + |R|^4, x the Kronecker product.
    square = (
        (kept**2).sum() ** 2 - 2 * (kept * removed).sum() ** 2 + (removed**2).sum() ** 2
    )
    # To the six decimals of the specification.
    np.testing.assert_allclose(np.sqrt(square) / size, GAINS[level], atol=6e-7)


@pytest.mark.parametrize("shape", [(128, 224), (224, 31)])
def test_too_small_a_field_is_refused(shape):
    with pytest.raises(ValueError, match="at least 129 rows and columns"):
        pyramid.analyse(jnp.zeros(shape, jnp.float32))
