"""How does an image look under noise of one strength everywhere?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, random_words
from biases_jax.types import PRNGKey

DEVIATIONS = (0.08, 0.12, 0.18, 0.26, 0.38)  # of images in [0, 1]


@dataclasses.dataclass(frozen=True)
class GaussianNoise(corruption.Graded):
    """Add normal noise, independent in every value of every channel.

    Within one level of the reference, at fewer than 1 in 10,000 values: where float32
    and float64 fall on two sides of a whole level. Source: Hendrycks and Dietterich
    (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `deviation` of the noise, in levels."""
        del shape
        return {"deviation": np.array(255 * DEVIATIONS[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> corruption.Draws:
        """Return `normal`, standard normal [h, w, 3]."""
        return {"normal": random_words.normal(key, shape)}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image plus the noise."""
        noise = parameters["deviation"] * draws["normal"]
        return corruption.truncated(image.astype(jnp.float32) + noise)
