"""How does an image look through frosted glass?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import (
    corruption,
    gaussian_blur,
    gaussian_filter,
    random_words,
)
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Int, PRNGKey

DEVIATIONS = (0.7, 0.9, 1.0, 1.1, 1.5)  # of the blurs before and after, in pixels
DISTANCES = (1, 2, 2, 3, 4)  # to which pixels are moved
SWEEPS = (2, 1, 3, 2, 2)


@dataclasses.dataclass(frozen=True)
class GlassBlur(corruption.Corruption):
    """Blur, let each pixel become a pixel nearby, again and again, and blur.

    The reference's loops mean to swap two pixels and copy one, since what they swap
    are views of the image. Within one level of the reference, at fewer than 1 in 1,000
    values: where float32 and float64 fall on two sides of a whole level, before the
    pixels are moved or after; 2 in 1,000 where levels change by one and back. Source:
    Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return what `gaussian_blur.blurred` needs."""
        deviation = DEVIATIONS[self.severity - 1]
        radius = len(gaussian_filter.taps(deviation)) // 2
        return gaussian_blur.parameters(deviation, radius, shape)

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return `offsets`, int8 [sweeps, rows, columns, 2], in the reference's order.

        Of whom each pixel becomes a copy: (to the right, down), from -d to d - 1 for a
        distance d. From the last pixel that moves to the first.
        """
        distance, sweeps = DISTANCES[self.severity - 1], SWEEPS[self.severity - 1]
        sides = [side - 2 * distance for side in shape[:2]]
        bits = random_words.halfwords(key, (sweeps, *sides, 2)).astype(jnp.int32)
        # As likely each, to 1 in 10,000 where 2^16 is no multiple of their number.
        offsets = (bits * (2 * distance) >> 16) - distance
        return {"offsets": offsets.astype(jnp.int8)}

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image through glass of these `offsets`."""
        height, width, _ = image.shape
        offsets = draws["offsets"].astype(jnp.int32)
        copied = copied_from(offsets[0], height, width)
        for sweep in offsets[1:]:
            copied = copied[copied_from(sweep, height, width)]
        pixels = gaussian_blur.blurred(image, parameters).reshape(-1, 3)
        moved = pixels[copied].reshape(image.shape)
        return gaussian_blur.blurred(moved, parameters)


def copied_from(
    offsets: Int[Array, "rows columns 2"], height: int, width: int
) -> Int[Array, " pixels"]:
    """Return of which pixel, numbered row by row, each is a copy after one sweep.

    A sweep runs from the last pixel to the first. So a pixel that copies a later one
    gets what that has copied before, from a later one in its turn, and so on; doubling
    the length of these chains until nothing changes follows all of them at once.
    """
    rows, columns, _ = offsets.shape
    distance = (height - rows) // 2
    steps = offsets[::-1, ::-1, 1] * width + offsets[::-1, ::-1, 0]
    border = (distance + 1, distance - 1)  # pixels that do not move
    numbers = jnp.arange(height * width, dtype=jnp.int32)
    source = numbers + jnp.pad(steps, border).ravel()

    def follow(state):
        last, _ = state
        further = last[last]
        return further, jnp.any(further != last)

    later = jnp.maximum(source, numbers)
    last, _ = jax.lax.while_loop(lambda state: state[1], follow, (later, True))
    return source[last]
