"""How does an image look in larger pixels?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption
from biases_jax.types import Array, Int, UInt8

SCALES = (0.6, 0.5, 0.4, 0.3, 0.25)  # of the sides
BITS = 22  # of Pillow's weights after the point


@dataclasses.dataclass(frozen=True)
class Pixelate(corruption.Corruption):
    """Shrink the image to means of boxes, and enlarge it to the nearest pixel.

    The reference's outputs, which are Pillow's of resampling with a box. Compiled for
    each severity, since the shrunk image's shape is its own: three times as fast as
    means of all lines of the enlarged one. Source: Hendrycks and Dietterich (2019),
    ImageNet-C.
    """

    def corrupt(
        self,
        image: corruption.Bytes,
        draws: corruption.Draws,
        parameters: dict[str, Any],
    ) -> corruption.Bytes:
        """Return the image of its boxes' means: along rows first, then columns."""
        del draws, parameters
        scale = SCALES[self.severity - 1]
        height, width = image.shape[:2]
        small = _shrunk(image, 1, int(width * scale))
        small = _shrunk(small, 0, int(height * scale))
        return _enlarged(_enlarged(small, 1, width), 0, height)


def boxes(side: int, small: int) -> tuple[Int[np.ndarray, " n"], Int[np.ndarray, " n"]]:
    """Return the first line and the number of lines of each box of a shrunk side.

    A line belongs to the box in which its centre lies, the upper end included, of the
    lines that Pillow considers (Resample.c, precompute_coeffs).
    """
    scale = side / small
    centre = (np.arange(small) + 0.5) * scale
    low, high = (np.floor(centre + end + 0.5) for end in (-scale / 2, scale / 2))
    line = low + np.arange(int(scale) + 2)[:, None]
    offset = (line - centre + 0.5) * (1 / scale)  # as there, lest ties fall otherwise
    inside = (-0.5 < offset) & (offset <= 0.5) & (line < np.minimum(high, side))
    first = low + inside.argmax(0)
    return first.astype(np.int32), inside.sum(0).astype(np.int32)


def _shrunk(image: UInt8[Array, "..."], axis: int, small: int) -> UInt8[Array, "..."]:
    """Return the means along an axis, by Pillow's weights in whole numbers."""
    first, count = boxes(image.shape[axis], small)
    along = [-1 if at == axis else 1 for at in range(image.ndim)]
    total = np.int32(0)
    for tap in range(count.max()):
        inside = (count > tap).astype(np.int32).reshape(along)
        line = image.take(np.minimum(first + tap, image.shape[axis] - 1), axis)
        total = total + line.astype(jnp.int32) * inside
    weight = np.floor(0.5 + 2**BITS / count).astype(np.int32).reshape(along)
    mean = (total * weight + np.int32(2 ** (BITS - 1))) >> BITS
    return mean.astype(jnp.uint8)


def _enlarged(image: UInt8[Array, "..."], axis: int, side: int) -> UInt8[Array, "..."]:
    """Return the nearest line for each; the places are summed up, as Pillow does."""
    step = image.shape[axis] / side
    nearest = np.cumsum([step / 2] + [step] * (side - 1)).astype(np.int32)
    return image.take(nearest, axis)
