"""How does an image look with stronger or weaker colours?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, hue_saturation_value

# Factor and summand of the saturation in [0, 1].
CHANGES = ((0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2))


@dataclasses.dataclass(frozen=True)
class Saturate(corruption.Graded):
    """Change the saturation of each colour, in hue, saturation and value.

    Grey counts as red of no saturation, so that it becomes reddish at severities 4 and
    5. Within one level of the reference, at about 1 in 100 values and at severity 3,
    where every second value comes to a whole level and the reference's float64 falls
    short of many, at 1 in 8. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `factor` and `added`."""
        del shape
        factor, added = CHANGES[self.severity - 1]
        return {
            "factor": np.array(factor, np.float32),
            "added": np.array(added, np.float32),
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
        return hue_saturation_value.colour(hue, value, jnp.minimum(wanted, value))
