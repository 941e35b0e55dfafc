"""How does an image look when every channel comes closer to its mean?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from biases_jax.corruptions import corruption

TWENTIETHS = (8, 6, 4, 2, 1)  # of the contrast that is left


@dataclasses.dataclass(frozen=True)
class Contrast(corruption.Graded):
    """Keep a part of each value's distance from the mean of its channel.

    The reference's outputs, but where the result is a whole level, as of channels of
    one value: the reference's float64 may fall short of it. Source: Hendrycks and
    Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return `kept`, the twentieths of the contrast."""
        del shape
        return {"kept": np.array(TWENTIETHS[self.severity - 1], np.int32)}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return (kept value + (20 - kept) mean) / 20, rounded down.

        In whole numbers: since 20 times the result is a whole number plus a part of the
        mean's, it may be rounded down before the division.
        """
        del draws
        kept, pixels = parameters["kept"], np.int32(image.shape[0] * image.shape[1])
        levels = image.astype(jnp.int32)
        total = levels.sum((0, 1))
        # The mean's whole part apart from its remainder, lest the product overflow.
        whole, rest = total // pixels, total % pixels
        mean = (20 - kept) * whole + (20 - kept) * rest // pixels
        return lax.div(kept * levels + mean[None, None], np.int32(20)).astype(jnp.uint8)
