"""How does an image look behind one plane wave?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, pixels
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

INTENSITY = (19.6, 29.4, 39.2, 88.2, 98.0)  # levels of 255; Mintun et al. 2021


@dataclasses.dataclass(frozen=True)
class SingleFrequencyGreyscale(corruption.Graded):
    """A sine wave of a random direction and frequency, alike in all colours.

    Draws: `param_freq` [2], radians per column and per row, in [-pi, pi], and
    `param_phase`, radians in [0, 2 pi).

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    1e-3 are off, by one level.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the wave's amplitude in levels."""
        del shape
        return {"intensity": np.array(INTENSITY[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the wave; its slower direction is limited by its faster one."""
        del shape
        fast, slow, order, phase = jax.random.split(key, 4)
        limit = jax.random.uniform(fast, minval=-jnp.pi, maxval=jnp.pi)
        other = jnp.abs(limit) * jax.random.uniform(slow, minval=-1.0)
        return {
            "param_freq": jax.random.permutation(order, jnp.stack([limit, other])),
            "param_phase": jax.random.uniform(phase, maxval=2 * jnp.pi),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image with the wave added."""
        rows, columns = pixels.rows_and_columns(image.shape)
        frequency = jnp.asarray(draws["param_freq"], jnp.float32)
        across = frequency[0] * columns
        down = frequency[1] * rows + draws["param_phase"]
        # The sine of a sum: sines of h + w numbers do, instead of h x w.
        wave = jnp.sin(across) * jnp.cos(down) + jnp.cos(across) * jnp.sin(down)
        added = (parameters["intensity"] * wave)[:, :, None]
        return corruption.truncated(image.astype(jnp.float32) + added)
