"""How does an image look of which only evenly scattered pixels are left?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, fourier_noise
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

THRESHOLD = (-2.26, -2.02, -1.78, -1.3, -0.82)  # SDs; Mintun et al. 2021


@dataclasses.dataclass(frozen=True)
class BlueNoiseSample(corruption.Graded):
    """Black where noise that lacks low frequencies is low.

    Draws: `phases` [h, w / 2] in [0, 2 pi), the left half of the spectrum's.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Equal to the reference, but for
    isolated pixels where the noise is at the threshold.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the threshold in standard deviations of the noise."""
        del shape
        return {"threshold": np.array(THRESHOLD[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the noise's phases."""
        return {"phases": fourier_noise.random_phases(key, shape)}

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image where the noise is above the threshold."""
        distances = fourier_noise.distances(image.shape)
        noise = fourier_noise.fourier_noise(distances, draws["phases"], jnp.float32(1))
        kept = noise > parameters["threshold"]
        return jnp.where(kept[:, :, None], image, jnp.uint8(0))
