"""What is an image between its pixels, if all is black around it?"""

import jax.numpy as jnp

from biases_jax.corruptions.corruption import Bytes
from biases_jax.types import Array, Float, UInt32


def sampled(
    image: Bytes, rows: Float[Array, "i j"], columns: Float[Array, "i j"]
) -> Float[Array, "i j 3"]:
    """Return the image's values, 0 to 255, at these places.

    Bilinear in the four nearest pixels, of which those outside are black.
    """
    h, w, _ = image.shape
    # One pixel of black before and two after: all places further out are alike.
    flat = jnp.pad(packed(image), ((1, 2), (1, 2))).ravel()
    rows, columns = jnp.clip(rows, -1, h), jnp.clip(columns, -1, w)
    top, left = jnp.floor(rows), jnp.floor(columns)
    down, right = (rows - top)[:, :, None], (columns - left)[:, :, None]
    stride = w + 3
    first = (top.astype(jnp.int32) + 1) * stride + left.astype(jnp.int32) + 1
    above = (1 - right) * unpacked(flat[first]) + right * unpacked(flat[first + 1])
    first = first + stride
    below = (1 - right) * unpacked(flat[first]) + right * unpacked(flat[first + 1])
    return (1 - down) * above + down * below


def packed(image: Bytes) -> UInt32[Array, "h w"]:
    """Return each pixel in one number: a look-up costs as much as of one colour."""
    red, green, blue = (image[:, :, colour].astype(jnp.uint32) for colour in range(3))
    return red | (green << 8) | (blue << 16)


def unpacked(pixels: UInt32[Array, "i j"]) -> Float[Array, "i j 3"]:
    """Return the pixels' three bytes as float32."""
    colours = [(pixels >> shift) & 255 for shift in (0, 8, 16)]
    return jnp.stack(colours, axis=-1).astype(jnp.float32)
