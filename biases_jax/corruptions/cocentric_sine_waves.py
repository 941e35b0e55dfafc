"""How does an image look behind rings with wavy fronts?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, pixels, trigonometry
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

INTENSITY = (38.4, 64.0, 102.4, 115.2, 128.0)  # levels of 255; Mintun et al. 2021
LONGEST = 22.4  # pixels: a tenth of 224


@dataclasses.dataclass(frozen=True)
class CocentricSineWaves(corruption.Graded):
    """A saw-tooth of the distance from a point, alike in all colours.

    Draws: `param_offset` [2], column and row of the centre in the image;
    `param_freq` in [0, 10), waves of a ring's front in a turn; `param_amplitude` of
    these and `param_ring_width`, pixels up to 22.4.

    Source: Mintun et al. 2021 (ImageNet-C-bar), who spell the name so. Of the
    reference's values at most 2e-3 are off, by one level but where a ring begins.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the saw-tooth's height in levels."""
        del shape
        return {"intensity": np.array(INTENSITY[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the centre and the form of the rings."""
        centre, form = jax.random.split(key)
        place = jax.random.uniform(centre, (2,))
        frequency, amplitude, width = jax.random.uniform(form, (3,))
        return {
            "param_offset": place * jnp.array([shape[1], shape[0]], jnp.float32),
            "param_freq": 10 * frequency,
            "param_amplitude": LONGEST * amplitude,
            "param_ring_width": LONGEST * (1 - width),  # never 0: it divides
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image with the rings added."""
        rows, columns = pixels.rows_and_columns(image.shape)
        right = columns - draws["param_offset"][0]
        down = rows - draws["param_offset"][1]
        angle = trigonometry.angle(right, down) * draws["param_freq"]
        waves = draws["param_amplitude"] * trigonometry.sine(angle)
        front = jnp.sqrt(right**2 + down**2) + waves
        rings = front * (1 / jnp.asarray(draws["param_ring_width"], jnp.float32))
        saw = rings - jnp.floor(rings) - 0.5
        added = (parameters["intensity"] * saw)[:, :, None]
        return corruption.truncated(image.astype(jnp.float32) + added)
