"""How does an image look with more light of the same hue?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, hue_saturation_value

ADDED = (0.1, 0.2, 0.3, 0.4, 0.5)  # to the value, of colours in [0, 1]
SHORT = 1e-3  # of a level, told from a whole one in float32


@dataclasses.dataclass(frozen=True)
class Brightness(corruption.Graded):
    """Raise the value of each colour, in hue, saturation and value.

    Within one level of the reference, at fewer than 2 in 100 values: where its float64
    falls short of a whole level. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `raised`, what the values 0 to 255 become, in levels, [256]."""
        del shape
        added = ADDED[self.severity - 1]
        reference = np.clip(np.arange(256) / 255 + added, 0, 1) * 255
        whole = np.round(reference)
        falls = (np.abs(reference - whole) < SHORT) & (reference < whole)
        return {"raised": (reference - SHORT * falls).astype(np.float32)}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image with the value raised, to 255 at most."""
        del draws
        hue, value, span = hue_saturation_value.parts(image)
        raised = jnp.asarray(parameters["raised"])[value.astype(jnp.int32)]
        span = span * raised / jnp.maximum(value, 1)  # at the same saturation
        return hue_saturation_value.colour(hue, raised, span)
