"""How does an image look with coloured noise of low frequencies?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, fourier_noise
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

INTENSITY = (6.4, 12.8, 19.2, 25.6, 32.0)  # levels of 255; Mintun et al. 2021


@dataclasses.dataclass(frozen=True)
class BrownishNoise(corruption.Graded):
    """Noise of amplitude 1 / (f^2 + 1) at f cycles an image, for each colour its own.

    Draws: `phases` [3, h, w / 2] in [0, 2 pi), the left halves of the spectra's.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    1e-4 are off, by one level.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the standard deviation of the noise in levels."""
        del shape
        return {"intensity": np.array(INTENSITY[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the noise's phases."""
        return {"phases": fourier_noise.random_phases(key, shape, fields=(3,))}

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image with the noise added."""
        amplitude = 1 / (fourier_noise.distances(image.shape) ** 2 + 1)
        deviation = jnp.asarray(parameters["intensity"])
        fields = [
            fourier_noise.fourier_noise(amplitude, phases, deviation)
            for phases in jnp.asarray(draws["phases"])
        ]
        noise = jnp.stack(fields, axis=-1)
        return corruption.truncated(image.astype(jnp.float32) + noise)
