"""What is an image between its pixels, and mirrored beyond its border?"""

from typing import NamedTuple

import jax.numpy as jnp

from biases_jax.types import Array, Float, Int


class Places(NamedTuple):
    """Places along one axis: `share` in [0, 1) of the way from pixel `low` to the next.

    Kept apart, since float32 tells no more than 1 in 100,000 of a pixel at 200.
    """

    low: Int[Array, "i j"]
    share: Float[Array, "i j"]


def places(whole: Int[Array, "#h #w"] | int, more: Float[Array, "h w"]) -> Places:
    """Return the places `more` pixels, any number, after whole ones."""
    below = jnp.floor(more)
    return Places(whole + below.astype(jnp.int32), more - below)


def sampled(
    image: Float[Array, "h w c"], rows: Places, columns: Places, border: str
) -> Float[Array, "i j c"]:
    """Return the image's values at these places, bilinear in the four nearest pixels.

    Both pixels' numbers are folded into the image, as often as needed; `border` as in
    `numpy.pad`: "symmetric" repeats the outermost pixel, "reflect" does not.
    """
    h, w, _ = image.shape
    flat = image.reshape(h * w, -1)
    top, below = (_folded(rows.low + i, h, border) * w for i in (0, 1))
    left, right = (_folded(columns.low + i, w, border) for i in (0, 1))
    across, down = columns.share[..., None], rows.share[..., None]

    def between(row):  # in this form, one grey stays what it is to the last bit
        first, second = flat[row + left], flat[row + right]
        return first + across * (second - first)

    upper, lower = between(top), between(below)
    return upper + down * (lower - upper)


def _folded(numbers, size, border):
    repeated = 1 if border == "symmetric" else 0
    period = 2 * (size - 1 + repeated)
    numbers = numbers % period
    return jnp.minimum(numbers, period - repeated - numbers)
