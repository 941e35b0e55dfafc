"""How is one linear map applied to the rows of an image and another to its columns?"""

from typing import Any

import jax
import jax.numpy as jnp

from biases_jax.types import Array, Float

Matrix = Float[Any, "outputs inputs"]


def mapped(
    layer: Float[Array, "h w *c"], rows: Matrix, columns: Matrix
) -> Float[Array, "i j *c"]:
    """Return rows @ layer @ columns^T of each channel, in float32.

    Two matrix products are the fastest form of a filter on a CPU from about seven taps
    on; `rows` is [i, h] and `columns` [j, w]. At the highest precision, since values of
    bytes are cut to whole numbers afterwards.
    """
    turned = jnp.moveaxis(layer, (0, 1), (-1, -2))  # both products sum the last axis
    half = jnp.swapaxes(_product(turned, rows), -1, -2)
    return jnp.moveaxis(_product(half, columns), (-2, -1), (0, 1))


def _product(layers, matrix):
    return jnp.matmul(layers, matrix.T, precision=jax.lax.Precision.HIGHEST)
