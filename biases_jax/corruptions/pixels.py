"""Where are the pixels of an image?"""

import jax.numpy as jnp

from biases_jax.types import Array, Float


def rows_and_columns(
    shape: tuple[int, ...],
) -> tuple[Float[Array, "h 1"], Float[Array, "1 w"]]:
    """Return the numbers of the rows and of the columns, from 0, for h x w x 3."""
    rows = jnp.arange(shape[0], dtype=jnp.float32)
    columns = jnp.arange(shape[1], dtype=jnp.float32)
    return rows[:, None], columns[None, :]
