"""What is noise of a given spectrum and random phases?"""

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float, PRNGKey


def fourier_noise(
    amplitude: Float[np.ndarray, "h w"],
    phases: Float[Array, "h half"],
    deviation: Float[Array, ""],
) -> Float[Array, "h w"]:
    """Return the field of these amplitudes and phases, scaled to a standard deviation.

    Args:
        amplitude: zero frequency is at (h // 2, w // 2).
        phases: radians, of the left half; the right half is it, turned by 180 degrees.
            So the spectrum is not Hermitian, and only the real part is used.
        deviation: of the field.

    Source: Mintun et al. 2021 (ImageNet-C-bar, blue_noise_sample, brownish_noise).
    """
    h, w = amplitude.shape
    left = jnp.asarray(phases, jnp.float32)
    phases = jnp.concatenate([left, left[::-1, ::-1][:, -(w // 2) :]], axis=1)
    height = jnp.asarray(amplitude, jnp.float32)
    spectrum = jax.lax.complex(height * jnp.cos(phases), height * jnp.sin(phases))
    field = jnp.fft.ifft2(jnp.fft.ifftshift(spectrum)).real
    # One factor for all: XLA would join two of one image, but not two of a batch.
    return field * (deviation / jnp.std(field))


def distances(shape: tuple[int, ...]) -> Float[np.ndarray, "h w"]:
    """Return the distance of each frequency of h x w x 3 from zero, in cycles."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    return np.hypot(rows - shape[0] // 2, columns - shape[1] // 2)


def random_phases(
    key: PRNGKey, shape: tuple[int, ...], *, fields: tuple[int, ...] = ()
) -> Float[Array, "*fields h half"]:
    """Return phases for images of h x w x 3, in [0, 2 pi)."""
    half = (*fields, shape[0], (shape[1] + 1) // 2)
    return jax.random.uniform(key, half, maxval=2 * jnp.pi)
