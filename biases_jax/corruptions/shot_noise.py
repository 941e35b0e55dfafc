"""How does an image look when few photons made it?"""

import dataclasses
import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy import stats

from biases_jax.corruptions import corruption, random_words
from biases_jax.types import Array, Int, PRNGKey, UInt8

PHOTONS = (60, 25, 12, 5, 3)  # expected of a white value
STEPS = 6  # of the search: the tables have 2^6 counts, more than any of PHOTONS


@dataclasses.dataclass(frozen=True)
class ShotNoise(corruption.Graded):
    """Count photons, of a Poisson distribution, instead of measuring light.

    The reference's outputs from its own counts. Counts come from uniform numbers by the
    distribution function of each of the 256 levels, so they are Poisson to the 2^-24
    that these resolve. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `photons` of white, and `distribution` of the counts, [256, 64]."""
        del shape
        photons = PHOTONS[self.severity - 1]
        return {
            "photons": np.array(photons, np.float32),
            "distribution": distribution(photons).astype(np.float32),
        }

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> corruption.Draws:
        """Return `uniform`, [h, w, 3] in [0, 1)."""
        return {"uniform": random_words.uniform(key, shape)}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the counts as levels, 255 for those of white and more."""
        counts = _counts(image, draws["uniform"], parameters["distribution"])
        # Half a photon's 255th keeps whole levels from the rounding of the division.
        levels = (255 * counts.astype(jnp.float32) + 0.5) / parameters["photons"]
        return corruption.truncated(levels)


@functools.cache
def distribution(photons: int) -> np.ndarray:
    """Return P(count <= k) for levels 0 to 255 and k to 63, float64 [256, 64].

    It is 2 from `photons` on: counts above are white as `photons` are.
    """
    rate = photons * np.arange(256)[:, None] / 255
    counts = np.arange(2**STEPS)
    return np.where(counts < photons, stats.poisson.cdf(counts, rate), 2)


def _counts(
    image: UInt8[Array, "h w 3"], uniform: Any, table: Any
) -> Int[Array, "h w 3"]:
    """Return how many entries of the level's row are at most the uniform number."""
    table = jnp.asarray(table).reshape(-1)
    row = image.astype(jnp.int32) << STEPS
    count = jnp.zeros_like(row)
    for step in reversed(range(STEPS)):
        further = count + (1 << step)
        passed = table[row + further - 1] <= uniform
        count = jnp.where(passed, further, count)
    return count
