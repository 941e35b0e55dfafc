"""How does an image look when single values are lost to black or white?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, random_words
from biases_jax.types import PRNGKey

SHARES = (0.03, 0.06, 0.09, 0.17, 0.27)  # of values that are lost


@dataclasses.dataclass(frozen=True)
class ImpulseNoise(corruption.Corruption):
    """Set a share of all values, each channel for itself, to 0 or 255.

    The reference's outputs from its masks. Source: Hendrycks and Dietterich (2019),
    ImageNet-C. The severities lose more and more of the same values.
    """

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> corruption.Draws:
        """Return `flip`, what is lost, and `salt`, what would be white: bool [h, w, 3].

        Both come of one word of 16 bits: 15 for the share, to 2^-16, and a coin.
        """
        words = random_words.halfwords(key, shape)
        lost = np.uint16(round(SHARES[self.severity - 1] * 2**15))
        return {"flip": words >> np.uint16(1) < lost, "salt": words % np.uint16(2) > 0}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image without what is lost."""
        del parameters
        impulse = jnp.where(draws["salt"], np.uint8(255), np.uint8(0))
        return jnp.where(draws["flip"], impulse, image)
