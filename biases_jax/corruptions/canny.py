"""Where are the edges of an image, as Canny's detector in OpenCV finds them?"""

import jax
import jax.numpy as jnp

from biases_jax.corruptions import neighbourhoods
from biases_jax.types import Array, Bool, Int, UInt8

# Tangents of 22.5 and 67.5 degrees in parts of 2^15, as OpenCV rounds them.
SHALLOW, STEEP, PARTS = 13573, 13573 + 65536, 32768


def edges(
    image: UInt8[Array, "h w"], low: int = 50, high: int = 150
) -> Bool[Array, "h w"]:
    """Return which pixels are edges: ridges of the gradient, tied to steep ones.

    Gradients are Sobel's with the border repeated, |x| + |y|, in levels; a ridge is
    above `low`, a steep one above `high`. In whole numbers: exact. Source: Canny 1986.
    """
    levels = image.astype(jnp.int32)
    right, down = neighbourhoods.mapped(_gradients, levels, 1, mode="edge")
    steepness = jnp.abs(right) + jnp.abs(down)
    ridge = _ridges(steepness, right, down) & (steepness > low)
    return connected(ridge, ridge & (steepness > high))


def connected(
    allowed: Bool[Array, "h w"], chosen: Bool[Array, "h w"]
) -> Bool[Array, "h w"]:
    """Return the allowed pixels that a path of allowed ones joins to a chosen one."""

    def spread(state):
        _, now = state
        grown = now
        for _ in range(2):  # rounds in one: they are faster than their comparison
            grown = allowed & neighbourhoods.mapped(_any, grown, 1)
        return now, grown

    def changed(state):
        before, now = state
        return (before != now).any()

    return jax.lax.while_loop(changed, spread, (jnp.zeros_like(chosen), chosen))[1]


def _gradients(at) -> tuple[Int[Array, " n"], Int[Array, " n"]]:
    right = at(-1, 1) - at(-1, -1) + 2 * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1)
    down = at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1)
    return right, down


def _ridges(steepness, right, down):
    """Return where the gradient is steeper than before and behind, along itself."""

    def along(at):
        here = at(0, 0)
        return (
            (here > at(0, -1)) & (here >= at(0, 1)),
            (here > at(-1, 0)) & (here >= at(1, 0)),
            (here > at(-1, -1)) & (here > at(1, 1)),
            (here > at(-1, 1)) & (here > at(1, -1)),
        )

    level, upright, falling, rising = neighbourhoods.mapped(along, steepness, 1)
    x, y = jnp.abs(right), PARTS * jnp.abs(down)
    aslant = jnp.where((right ^ down) >= 0, falling, rising)
    return jnp.where(y < SHALLOW * x, level, jnp.where(y > STEEP * x, upright, aslant))


def _any(at):
    row = at(0, 0)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            row = row | at(down, right)
    return row
