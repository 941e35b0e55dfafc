"""How does an image look when its middle is enlarged?

As SciPy's linear `zoom` of the part that fills the image when enlarged: the first and
last point of the part stay the first and last. Sides may grow by one in rounding.
"""

import math
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float, Int


class Axis(NamedTuple):
    """Between which points of an axis each point of the result lies.

    `low` is the first of two neighbours, `share` in [0, 1] the weight of the second.
    """

    low: Int[Any, "*n points"]
    share: Float[Any, "*n points"]


def axis(size: int, factor: float) -> Axis:
    """Return where the points of an axis of this size, enlarged, come from.

    At least `size` points, one more where rounding makes it so. Computed in float64,
    returned as int32 and float32; `factor` is 1 or more.
    """
    part = math.ceil(size / factor)
    points = round(part * factor)
    places = (size - part) // 2 + np.linspace(0, part - 1, points)
    low = np.minimum(np.floor(places), size - 2)  # the last point has two neighbours
    return Axis(low.astype(np.int32), (places - low).astype(np.float32))


def enlarged(
    layer: Float[Array, "h w *c"], rows: Axis, columns: Axis
) -> Float[Array, "i j *c"]:
    """Return the layer enlarged, linearly interpolated, by the `axis` of both sides."""
    return _interpolated(_interpolated(layer, rows, 0), columns, 1)


def _interpolated(layer, axis, along):
    # Two look-ups of whole rows, or pixels, are much faster than a matrix product.
    low = jnp.asarray(axis.low)
    first, second = (jnp.take(layer, low + i, along, mode="clip") for i in (0, 1))
    across = [1] * layer.ndim
    across[along] = -1
    return first + jnp.asarray(axis.share).reshape(across) * (second - first)
