"""How strongly does a star of many rays cover each pixel?"""

import jax.numpy as jnp

from biases_jax.corruptions import pixels, trigonometry
from biases_jax.types import Array, Float, Int

FEWEST, MOST = 50, 200  # rays of a star; the upper end is excluded


def covering(
    shape: tuple[int, ...],
    centre: Float[Array, "2"],
    rays: Int[Array, ""],
    lengths: Float[Array, " n"],
    power: Float[Array, ""] | float,
) -> Float[Array, "h w"]:
    """Return each pixel's covering, 0 to 1, for an image of h x w x 3.

    Args:
        shape: of the image.
        centre: row and column.
        rays: how many there are; lengths from there on are not used.
        lengths: of the rays in pixels, counter-clockwise; between two rays they blend.
        power: how fast the covering falls with (distance / length)^-2.

    Source: Mintun et al. 2021 (ImageNet-C-bar, sparkles and inverse_sparkles).
    """
    rows, columns = pixels.rows_and_columns(shape)
    down, right = rows - centre[0], columns - centre[1]
    part = (trigonometry.angle(right, down) + jnp.pi) / (2 * jnp.pi)
    turn = part * rays.astype(jnp.float32)
    number = jnp.floor(turn)
    between = turn - number
    ray = number.astype(jnp.int32) % rays
    first, second = lengths[ray], lengths[(ray + 1) % rays]
    length = first + between * (second - first)
    # As a logarithm: a power as such is slower on CPUs by four times.
    glow = jnp.exp(power * jnp.log(length**2 / (down**2 + right**2 + 1e-4)))
    return jnp.clip((1 - (between - 0.5) ** 2) * glow, 0, 1)
