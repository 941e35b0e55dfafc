"""How is a function of each pixel's neighbours computed quickly?

XLA reads shifted planes of an image row by row on CPUs, value by value. As one long row
they are shifted by other amounts, and a tenth of the time is enough.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Shaped

from biases_jax.types import Array

At = Callable[[int, int], Shaped[Array, " n"]]


def mapped(
    function: Callable[[At], Any],
    layer: Shaped[Array, "h w"],
    radius: int,
    **border: Any,
) -> Any:
    """Return planes [h, w] of a function of each pixel's neighbours.

    Args:
        function: elementwise, from `at` to a tree of arrays; `at(down, right)` gives
            for every pixel its neighbour so far below and to the right of it.
        layer: the plane of pixels.
        radius: the furthest neighbour in any direction.
        border: what lies outside, as `numpy.pad` has it: `mode`, `constant_values`.
    """
    height, width = layer.shape
    stride = width + 2 * radius
    padded = jnp.pad(layer, radius, **border).ravel()
    # Otherwise the border would be made anew, with its conditions, at each neighbour.
    padded = jax.lax.optimization_barrier(padded)
    count = (height - 1) * stride + width

    def at(down, right):
        start = (radius + down) * stride + radius + right
        return padded[start : start + count]

    def plane(row):
        return jnp.pad(row, (0, 2 * radius)).reshape(height, stride)[:, :width]

    return jax.tree.map(plane, function(at))
