"""Which numbers are the 256 levels of a byte, to the last bit?"""

from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float, UInt8

UNIT = np.arange(256, dtype=np.float32) / np.float32(255)  # level to [0, 1], as torch


def unit(
    image: UInt8[Any, "*b h w c"], table: Float[Any, "256"] = UNIT
) -> Float[Array, "*b h w c"]:
    """Return levels as float32 in [0, 1].

    By a table, since XLA turns a division by 255 into a product with its reciprocal,
    which is another number for some of the levels.

    Args:
        image: of bytes.
        table: `UNIT`, as an argument where nothing may be compiled in.
    """
    return jnp.asarray(table)[image]
