"""How is a colour changed in saturation and value and not in hue?"""

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption
from biases_jax.types import Array, Float

RED = np.array([[[0, 1, 1]]], np.float32)
# In levels: more than float32's rounding, less than what is no whole level lacks of one
# (1 / 2550 at least, of the corruptions' constants).
ROUNDING = 2e-4


def parts(
    image: corruption.Bytes,
) -> tuple[Float[Array, "h w 3"], Float[Array, "h w 1"], Float[Array, "h w 1"]]:
    """Return the hue, the value (the largest channel) and the range, in levels.

    The range, largest minus smallest, is the saturation times the value. The hue is
    each channel's distance from the value in parts of the range, thus one channel's is
    0 and one's is 1. Grey is red.
    """
    levels = image.astype(jnp.float32)
    value = levels.max(2, keepdims=True)
    span = value - levels.min(2, keepdims=True)
    hue = jnp.where(span > 0, (value - levels) / jnp.maximum(span, 1), RED)
    return hue, value, span


def colour(
    hue: Float[Array, "h w 3"],
    value: Float[Array, "h w 1"],
    span: Float[Array, "h w 1"],
) -> corruption.Bytes:
    """Return the colours of this hue, value and range.

    What comes to a whole level in real arithmetic does so here. The reference's float64
    falls short of some of them.
    """
    return corruption.truncated(value - hue * span + ROUNDING)
