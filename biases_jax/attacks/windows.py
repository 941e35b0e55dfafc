"""Which pixels does a query of Square move?"""

import math

import jax.numpy as jnp
from jax import lax

from biases_jax.types import Array, Bool, Float, Int

# The share of pixels in a window halves after these queries (Andriushchenko et al.
# 2020, section 4, for 10,000 queries; AutoAttack does not rescale them for its 5000).
HALVED_AFTER = (10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000)


def side(
    query: Int[Array, ""], first_share: float, shape: tuple[int, ...]
) -> Int[Array, ""]:
    """Return the side in pixels of the windows of a query, which count from 0.

    The root of a share of the pixels, `first_share` at first, rounded; at least 1,
    at most the shorter side of the image. With 0.8 at 224 pixels 200, 142, 100, 71,
    50, 35, 25 and 18 from queries 0, 11, 51, 201, 501, 1001, 2001 and 4001 on.
    """
    height, width = shape[-3:-1]
    sides = []
    for halvings in range(len(HALVED_AFTER) + 1):
        area = first_share / 2**halvings * height * width
        sides.append(min(max(round(math.sqrt(area)), 1), height, width))
    halvings = (jnp.array(HALVED_AFTER, jnp.int32) < query).sum()
    return jnp.array(sides, jnp.int32)[halvings]


def inside(
    place: Float[Array, "*b 2"], side: Int[Array, ""], shape: tuple[int, ...]
) -> Bool[Array, "*b h w 1"]:
    """Return where each example's window is.

    `place` in [0, 1) is the share of the room for it that lies above it and to its
    left: floor(place * (height - side)) is the first row. The last row is only
    reached by windows of the whole height, as in AutoAttack. Computed in the
    precision of `place`, so that windows do not depend on that of the image.
    """
    covered = []
    for axis, length in enumerate(shape[-3:-1]):
        room = (length - side).astype(place.dtype)
        first = jnp.floor(place[..., axis] * room).astype(jnp.int32)[..., None]
        pixels = lax.broadcasted_iota(jnp.int32, (*shape[:-3], length), len(shape) - 3)
        covered.append((first <= pixels) & (pixels < first + side))
    rows, columns = covered
    return (rows[..., :, None] & columns[..., None, :])[..., None]
