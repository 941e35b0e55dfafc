"""How does an image look with white stars on it?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp

from biases_jax.corruptions import corruption, rays
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

RADIUS = (2.24, 4.48, 6.72, 11.2, 13.44)  # pixels; Mintun et al. 2021
STARS = 5


@dataclasses.dataclass(frozen=True)
class Sparkles(corruption.Corruption):
    """Five stars of 50 to 199 rays each, of random lengths.

    Draws: `param_centers` [5, 2], row and column; `param_nrays` [5]; `ray_lengths`
    [5, 200] in pixels, of which each star uses its first ones. All severities have
    the same draws, but for the lengths' scale.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    2e-4 are off, by one level.
    """

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the stars."""
        places, counts, lengths = jax.random.split(key, 3)
        normal = jax.random.normal(lengths, (STARS, rays.MOST))
        radius = RADIUS[self.severity - 1]
        size = jnp.array(shape[:2], jnp.float32)[None, :]
        return {
            "param_centers": size * jax.random.uniform(places, (STARS, 2)),
            "param_nrays": jax.random.randint(counts, (STARS,), rays.FEWEST, rays.MOST),
            "ray_lengths": jnp.maximum(radius * (1 + 0.25 * normal), 1),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image with the stars, one over the other."""
        del parameters
        stars = (
            jnp.asarray(draws["param_centers"]),
            jnp.asarray(draws["param_nrays"]),
            jnp.asarray(draws["ray_lengths"]),
        )

        def under(clear, star):
            return clear * (1 - rays.covering(image.shape, *star, 1.0)), None

        clear, _ = jax.lax.scan(under, jnp.ones(image.shape[:2]), stars)
        dark = 255 - image.astype(jnp.float32)
        return corruption.truncated(255 - clear[:, :, None] * dark)
