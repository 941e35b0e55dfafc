"""What does a JPEG file make of an image, to the last bit?

Entropy coding loses nothing and is left out. What remains is done as libjpeg does it,
in whole numbers: YCbCr, chroma of half the size, blocks of 8 x 8, quantised, and back.

All is done on squares of 16 x 16 pixels, the file's minimum coded units (MCUs), with
the pixels of one place in all MCUs side by side: compilers make vectors of that.
"""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from biases_jax.corruptions import corruption, jpeg_transform
from biases_jax.types import Array, Int

# ITU-T T.81, annex K: tables K.1 (luminance) and K.2 (chrominance).
LUMINANCE = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
CHROMINANCE = (
    (17, 18, 24, 47, 99, 99, 99, 99),
    (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99),
    (47, 66, 99, 99, 99, 99, 99, 99),
    *((99,) * 8,) * 4,
)
CENTRE = np.int32(128 * 65536 + 32767)  # of chroma, and what rounds it
Plane = Int[Array, "_ _ down across"]  # pixels of an MCU, and MCUs


def tables(quality: Any) -> Int[np.ndarray, "2 8 8"]:
    """Return the quantisation tables, int32, of luminance and chrominance.

    Raises:
        ValueError: the quality is no whole number from 1 to 100.
    """
    if type(quality) is not int or not 1 <= quality <= 100:
        raise ValueError(
            f"got JPEG quality {quality!r}, expected a whole number from 1 to 100"
        )
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    scaled = (np.array([LUMINANCE, CHROMINANCE]) * scale + 50) // 100
    return scaled.clip(1, 255).astype(np.int32)


def round_trip(image: corruption.Bytes, tables: Int[Any, "2 8 8"]) -> corruption.Bytes:
    """Return the image as it comes back from a JPEG file of these `tables`.

    Equal to Pillow's (libjpeg-turbo) in every byte, with its default chroma of half the
    size; sides of 5 at least, since below it leaves chroma coarse.
    """
    red, green, blue = _mcus(image)
    luma = _rounded(19595 * red + 38470 * green + 7471 * blue)
    luma = _quantised(luma.reshape(2, 8, 2, 8, *luma.shape[2:]), tables[0], 1, 3)
    chroma = [
        _halved((-11059 * red - 21709 * green + 32768 * blue + CENTRE) >> 16),
        _halved((32768 * red - 27439 * green - 5329 * blue + CENTRE) >> 16),
    ]
    # Rows that are no picture repeat the last of chroma, columns the last of the image.
    height, width = (-(-side // 2) for side in image.shape[:2])
    chroma = _held(jnp.stack(chroma), height, 1)
    chroma = _quantised(chroma, tables[1], 1, 2)
    chroma = _held(_held(chroma, height, 1), width, 2)
    return _image(luma.reshape(red.shape), *map(_doubled, chroma), image.shape)


def _image(luma: Plane, blue: Plane, red: Plane, shape: tuple) -> corruption.Bytes:
    """Return the RGB image of a shape, given YCbCr by MCUs."""
    red, blue = red - 128, blue - 128
    channels = [
        luma + _rounded(91881 * red),
        luma + _rounded(-22554 * blue - 46802 * red),
        luma + _rounded(116130 * blue),
    ]
    mcus = jnp.clip(jnp.stack(channels), 0, 255).astype(jnp.uint8)
    down, across = luma.shape[2:]
    whole = mcus.transpose(3, 1, 4, 2, 0).reshape(down * 16, across * 16, 3)
    return whole[: shape[0], : shape[1]]


def _rounded(value: Int[Array, "..."]) -> Int[Array, "..."]:
    return (value + np.int32(32768)) >> 16


def _mcus(image: corruption.Bytes) -> Int[Array, "3 16 16 down across"]:
    """Return the channels by MCUs, the last row and column repeated to fill them."""
    height, width = image.shape[:2]
    down, across = -(-height // 16), -(-width // 16)
    padding = ((0, down * 16 - height), (0, across * 16 - width), (0, 0))
    whole = jnp.pad(image, padding, "edge").reshape(down, 16, across, 16, 3)
    return whole.transpose(4, 1, 3, 0, 2).astype(jnp.int32)


def _halved(plane: Plane) -> Plane:
    """Return the means of 2 x 2 pixels; a half goes up in odd columns only."""
    total = plane[::2, ::2] + plane[::2, 1::2] + plane[1::2, ::2] + plane[1::2, 1::2]
    return (total + np.array([1, 2] * 4, np.int32)[None, :, None, None]) >> 2


def _quantised(
    samples: Int[Array, "..."], table: Int[Any, "8 8"], rows: int, columns: int
) -> Int[Array, "..."]:
    """Return the samples, 0 to 255, that the blocks' quantised coefficients give."""
    eightfold = jpeg_transform.forward(samples - 128, rows, columns)
    shape = [8 if axis in (rows, columns) else 1 for axis in range(samples.ndim)]
    step = jnp.asarray(table).reshape(shape)
    # To the nearest step, halves away from zero. In float32 this is exact, as a half of
    # the smallest part, 1 / (8 step), is added and the rounding errors are far below.
    part = 0.125 / step.astype(jnp.float32)
    steps = jnp.abs(eightfold).astype(jnp.float32) * part + (0.5 + 0.5 * part)
    coefficients = jnp.sign(eightfold) * steps.astype(jnp.int32) * step
    return jnp.clip(jpeg_transform.inverse(coefficients, rows, columns) + 128, 0, 255)


def _held(half: Int[Array, "..."], size: int, axis: int) -> Int[Array, "..."]:
    """Return chroma with its line number `size` and all further repeating the last.

    `axis` is that of the lines in an MCU; that of the MCUs is two on.
    """
    last = (size - 1) % 8
    if last == 7:
        return half
    whole, final = jnp.split(half, [half.shape[axis + 2] - 1], axis + 2)
    final = final.take(np.minimum(np.arange(8), last), axis)
    return jnp.concatenate([whole, final], axis + 2)


def _doubled(half: Plane) -> Plane:
    """Return twice the rows and columns, by the two nearest pixels, 3 to 1."""
    above, below = _neighbours(half, 0)
    rows = jnp.stack([3 * half + above, 3 * half + below], 1)
    rows = rows.reshape(16, *half.shape[1:])
    left, right = _neighbours(rows, 1)
    pair = jnp.stack([(3 * rows + left + 8) >> 4, (3 * rows + right + 7) >> 4], 2)
    return pair.reshape(16, 16, *half.shape[2:])


def _neighbours(plane: Plane, axis: int) -> tuple[Plane, Plane]:
    """Return each pixel's neighbour before and after; at the edges itself."""
    line = functools.partial(lax.slice_in_dim, axis=axis)
    mcu = functools.partial(lax.slice_in_dim, axis=axis + 2)
    size, count = plane.shape[axis], plane.shape[axis + 2]
    first, last = line(plane, 0, 1), line(plane, size - 1, size)
    before = [mcu(first, 0, 1), mcu(last, 0, count - 1)]
    after = [mcu(first, 1, count), mcu(last, count - 1, count)]
    before, after = (jnp.concatenate(pair, axis + 2) for pair in (before, after))
    inner, outer = line(plane, 0, size - 1), line(plane, 1, size)
    return jnp.concatenate([before, inner], axis), jnp.concatenate([outer, after], axis)
