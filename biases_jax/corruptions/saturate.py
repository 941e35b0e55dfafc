"""How does an image look with stronger or weaker colours?"""

import dataclasses
import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, hue_saturation_value
from biases_jax.types import UInt8

# Factor and summand of the saturation in [0, 1].
CHANGES = ((0.3, 0.0), (0.1, 0.0), (2.0, 0.0), (5.0, 0.1), (20.0, 0.2))


@dataclasses.dataclass(frozen=True)
class Saturate(corruption.Graded):
    """Change the saturation of each colour, in hue, saturation and value.

    Grey counts as red of no saturation, so that it becomes reddish at severities 4 and
    5. Within one level of the reference, at 1 in 100 values and at severity 3, which
    brings half of the middle channels to whole levels, of which the reference's float64
    falls short often, at 1 in 10. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `factor`, `added`, and `smallest`: what the smallest channel becomes.

        The last by value and by smallest channel, uint8 [256, 256].
        """
        del shape
        factor, added = CHANGES[self.severity - 1]
        return {
            "factor": np.array(factor, np.float32),
            "added": np.array(added, np.float32),
            "smallest": smallest(factor, added),
        }

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image with the saturation changed, to 1 at most."""
        del draws
        hue, value, span = hue_saturation_value.parts(image)
        wanted = parameters["factor"] * span + parameters["added"] * value
        changed = hue_saturation_value.colour(hue, value, jnp.minimum(wanted, value))
        largest, least = value.astype(jnp.int32), (value - span).astype(jnp.int32)
        exact = jnp.asarray(parameters["smallest"])[largest, least]
        # Grey's red is the largest channel too, and stays.
        is_least = (image.astype(jnp.int32) == least) & (hue > 0)
        return jnp.where(is_least, exact, changed)


@functools.cache
def smallest(factor: float, added: float) -> UInt8[np.ndarray, "256 256"]:
    """Return what float64 makes of the smallest channel: exact, as it is in no other.

    Of the middle channel the reference's rounding depends on all three.
    """
    value, least = np.indices((256, 256)) / 255
    saturation = (value - least) / np.where(value > 0, value, 1)
    left = 1 - np.clip(saturation * factor + added, 0, 1)
    return (np.clip(value * left, 0, 1) * 255).astype(np.uint8)
