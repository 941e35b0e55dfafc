"""How does an image look when only a star of it is left?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, rays
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

POWER = (0.13, 0.26, 0.52, 1.17, 1.3)  # Mintun et al. 2021
RADIUS = 56.0  # pixels: a quarter of 224


@dataclasses.dataclass(frozen=True)
class InverseSparkles(corruption.Graded):
    """White around a star of 50 to 199 rays of random lengths.

    Draws: `param_center` [2], row and column in the image's middle half;
    `param_rays`; `ray_lengths` [200] in pixels, of which the first ones are used.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    1e-3 are off, by one level.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return how fast the image fades from the centre."""
        del shape
        return {"power": np.array(POWER[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the star."""
        place, count, lengths = jax.random.split(key, 3)
        size = jnp.array(shape[:2], jnp.float32)
        middle = jax.random.uniform(place, (2,), minval=0.25, maxval=0.75)
        normal = jax.random.normal(lengths, (rays.MOST,))
        return {
            "param_center": size * middle,
            "param_rays": jax.random.randint(count, (), rays.FEWEST, rays.MOST),
            "ray_lengths": RADIUS * (1 + 0.25 * normal),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image in the star, and white around it."""
        covering = rays.covering(
            image.shape,
            jnp.asarray(draws["param_center"]),
            jnp.asarray(draws["param_rays"]),
            jnp.asarray(draws["ray_lengths"]),
            jnp.asarray(parameters["power"]),
        )
        dark = 255 - image.astype(jnp.float32)
        return corruption.truncated(255 - covering[:, :, None] * dark)
