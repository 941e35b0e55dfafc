"""How does an image look under noise that grows with its light?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, random_words
from biases_jax.types import PRNGKey

DEVIATIONS = (0.15, 0.2, 0.35, 0.45, 0.6)  # shares of the value


@dataclasses.dataclass(frozen=True)
class SpeckleNoise(corruption.Graded):
    """Add to every value of every channel a normal share of it.

    Within one level of the reference, at fewer than 1 in 10,000 values: where float32
    and float64 fall on two sides of a whole level. Source: Hendrycks and Dietterich
    (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `deviation` of the shares."""
        del shape
        return {"deviation": np.array(DEVIATIONS[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> corruption.Draws:
        """Return `normal`, standard normal [h, w, 3]."""
        return {"normal": random_words.normal(key, shape)}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image plus the shares."""
        levels = image.astype(jnp.float32)
        share = parameters["deviation"] * draws["normal"]
        return corruption.truncated(levels + levels * share)
