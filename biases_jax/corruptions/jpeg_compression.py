"""How does an image look from a small JPEG file?"""

import dataclasses
from typing import Any

import numpy as np

from biases_jax.corruptions import corruption, jpeg

QUALITIES = (25, 18, 15, 10, 7)


@dataclasses.dataclass(frozen=True)
class JpegCompression(corruption.Graded):
    """Write the image as a JPEG file of low quality, and read it.

    The reference's outputs. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the quantisation `tables`, int32 [2, 8, 8]."""
        del shape
        return {"tables": jpeg.tables(QUALITIES[self.severity - 1])}

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image from the file."""
        del draws
        return jpeg.round_trip(image, parameters["tables"])
