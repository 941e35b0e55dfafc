"""How does an image look out of focus, as a Gaussian has it?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy import ndimage

from biases_jax.corruptions import corruption, gaussian_filter, separable
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import UInt8

DEVIATIONS = (1.0, 2.0, 3.0, 4.0, 6.0)  # in pixels
RADIUS = len(gaussian_filter.taps(DEVIATIONS[-1])) // 2


@dataclasses.dataclass(frozen=True)
class GaussianBlur(corruption.Graded):
    """Filter by a Gaussian, cut off at four deviations, the border repeated.

    Within one level of the reference, at fewer than 1 in 10,000 values: where float32
    and float64 fall on two sides of a whole level. Source: Hendrycks and Dietterich
    (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return what `blurred` needs."""
        return parameters(DEVIATIONS[self.severity - 1], RADIUS, shape)

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the blurred image."""
        del draws
        return blurred(image, parameters)


def blurred(image: Bytes, parameters: dict[str, Any]) -> Bytes:
    """Return the image filtered and rounded down, as the reference's float64 is.

    The sign of the smallest change tells whether it leaves a value its level or the
    next lower. Where nothing changes the image is of one grey around the value, and the
    reference is left to its sums' last bits.
    """
    levels = image.astype(jnp.float32)
    changes = separable.changes(levels, parameters["rows"], parameters["columns"])
    return jnp.where(
        changes == 0,
        jnp.asarray(parameters["greys"])[image],
        corruption.truncated(levels + jnp.floor(changes)),
    )


def parameters(
    deviation: float, radius: int, shape: tuple[int, ...]
) -> dict[str, np.ndarray]:
    """Return the filter's blocks, and images of one grey.

    `radius` (pixels) is that of the widest filter of the family, which settles the
    arrays' shapes.
    """
    filters = [gaussian_filter.change(size, deviation) for size in shape[:2]]
    rows, columns = (separable.blocks(filter, radius) for filter in filters)
    return {"rows": rows, "columns": columns, "greys": greys(deviation)}


def greys(deviation: float) -> UInt8[np.ndarray, "256"]:
    """Return what the reference makes of images of one grey, one level less for some.

    It depends on the order of its sums in float64, which is that of SciPy.
    """
    images = np.tile(np.arange(256)[:, None, None] / 255, (1, 3, 3))
    filtered = ndimage.gaussian_filter(images, deviation, mode="nearest", axes=(1, 2))
    return (filtered[:, 1, 1].clip(0, 1) * 255).astype(np.uint8)
