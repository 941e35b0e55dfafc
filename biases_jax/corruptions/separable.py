"""How is one linear map applied to the rows of an image and another to its columns?

Two matrix products are the fastest form of such a map on a CPU. Where outputs depend
only on inputs nearby, most of a matrix is zero, and `blocks` keeps what is not.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float

# Sizes without names, since rows and columns may differ in all of them.
Matrix = Float[Any, "_ _"]  # outputs, inputs
Blocks = Float[Any, "_ _ _"]  # blocks, outputs of each, inputs of each
COUNTS = (4, 5, 3, 2)  # of blocks; more are slower again, measured at 224


def mapped(
    layer: Float[Array, "h w *c"], rows: Matrix | Blocks, columns: Matrix | Blocks
) -> Float[Array, "i j *c"]:
    """Return rows @ layer @ columns^T of each channel, in float32.

    `rows` is a matrix [i, h] or its `blocks`, `columns` likewise of [j, w]. Products
    are at the highest precision, since bytes are cut to whole numbers afterwards.
    """
    channels_first = jnp.moveaxis(layer, (0, 1), (-2, -1))
    half = _last_axis_mapped(channels_first, columns)
    whole = _last_axis_mapped(jnp.swapaxes(half, -1, -2), rows)
    return jnp.moveaxis(whole, (-1, -2), (0, 1))


def changes(
    layer: Float[Array, "h w *c"], rows: Matrix | Blocks, columns: Matrix | Blocks
) -> Float[Array, "h w *c"]:
    """Return what a filter adds to each value, to float32's precision of the change.

    Of `mapped` less the layer, float32 would keep the precision of the layer only.
    `rows` and `columns` map the steps from one value to the next (see
    `gaussian_filter.change`), which are 0 where there is nothing to change.
    """
    channels_first = jnp.moveaxis(layer, (0, 1), (-2, -1))
    across = _last_axis_mapped(_steps(channels_first), columns)
    turned, turned_across = (
        jnp.swapaxes(part, -1, -2) for part in (channels_first, across)
    )
    # Apart, since a sum of both would drown what is small in `across`.
    down = _last_axis_mapped(_steps(turned) + _steps(turned_across), rows)
    return jnp.moveaxis(down + turned_across, (-1, -2), (0, 1))


def blocks(matrix: Float[np.ndarray, "outputs inputs"], radius: int) -> Blocks:
    """Return the parts of a banded matrix, float32: the same inputs for some outputs.

    Args:
        matrix: zero further than `radius` from its diagonal.
        radius: at least this many inputs on both sides are kept; the result's shape
            depends only on it and on the matrix's.

    Raises:
        ValueError: what is not zero would be lost.
    """
    outputs, inputs = matrix.shape
    count = next((n for n in COUNTS if outputs % n == 0), 1)
    wide = outputs // count + 2 * radius
    if count == 1 or wide > 0.8 * inputs:  # little to gain
        return matrix[None].astype(np.float32)
    each = outputs // count
    starts = _starts(count, each, wide, inputs)
    parts = [
        matrix[i * each : (i + 1) * each, start : start + wide]
        for i, start in enumerate(starts)
    ]
    found = np.stack(parts).astype(np.float32)
    if np.count_nonzero(found) != np.count_nonzero(matrix.astype(np.float32)):
        raise ValueError(
            f"got a matrix with entries further than {radius} from its diagonal, "
            "expected none; give the radius of its band"
        )
    return found


def _steps(layers):
    return jnp.diff(layers, axis=-1, prepend=layers[..., :1])


def _last_axis_mapped(layers, matrix):
    parts = matrix[None] if matrix.ndim == 2 else matrix
    count, each, wide = parts.shape
    flat = layers.reshape(-1, layers.shape[-1])
    starts = _starts(count, each, wide, flat.shape[1])
    inputs = jnp.stack([flat[:, start : start + wide] for start in starts])
    outputs = jnp.einsum(
        "bki,boi->kbo", inputs, parts, precision=jax.lax.Precision.HIGHEST
    )
    return outputs.reshape(*layers.shape[:-1], count * each)


def _starts(count, each, wide, inputs):
    """Return the first input of each block: as far before as after its outputs."""
    margin = (wide - each) // 2
    return [min(max(i * each - margin, 0), inputs - wide) for i in range(count)]
