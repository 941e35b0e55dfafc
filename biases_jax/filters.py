"""How does an image look when some of its spatial frequencies are taken away?

Gains are on the grid of `rfft2`: rows in the order of `fftfreq`, columns 0 to w // 2.
"""

import dataclasses
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Int

from biases_jax.types import Array, Float, Image, PRNGKey

Gain = Float[np.ndarray, "h w_half"]  # of each frequency, float32


class Spectrum(NamedTuple):
    """The half spectrum of an image, channels first, and the image's columns.

    It alone does not tell whether the image's width is even or odd.
    """

    values: Complex[Array, "*b 3 h w_half"]
    columns: Int[Array, "*b w"]

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width of the image."""
        return self.values.shape[-2], self.columns.shape[-1]


@dataclasses.dataclass(frozen=True)
class Fourier:
    """The preparation that all filters of one image share: its forward transform."""

    def __call__(self, key: PRNGKey, image: Image) -> Spectrum:
        """Return the image's spectrum."""
        del key
        values = jnp.fft.rfft2(jnp.moveaxis(image, -1, 0))
        return Spectrum(values, jnp.arange(image.shape[1], dtype=jnp.int32))


def filtered(spectrum: Spectrum, gain: Float[Any, "h w_half"]) -> Image:
    """Return the image with its spectrum multiplied by `gain`, clipped to [0, 1]."""
    kept = spectrum.values * gain[None].astype(spectrum.values.dtype)
    changed = jnp.fft.irfft2(kept, spectrum.shape)
    return jnp.clip(jnp.moveaxis(changed, 0, -1), 0, 1)


def box(fraction: float, shape: tuple[int, ...]) -> Gain:
    """Return the gain of the paper's square band, 0, 1/2 or 1.

    The band holds -r <= u <= r - 1 in both axes, r as `half_widths`. Taking the real
    part after the inverse transform averages it with its mirror image, hence gains of
    1/2 on its border; so the half-spectrum with this gain is exact.
    """
    rows, columns = _frequencies(shape)
    in_rows, in_columns = half_widths(fraction, shape)
    kept = _inside(rows, in_rows) & _inside(columns, in_columns)
    mirrored = _inside(-rows, in_rows) & _inside(-columns, in_columns)
    return (kept.astype(np.float32) + mirrored.astype(np.float32)) / 2


def half_widths(fraction: float, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return int(fraction * (n // 2)) of both axes, in float64 as the paper's code."""
    h, w = shape[:2]
    return int(fraction * (h // 2)), int(fraction * (w // 2))


def disc(fraction: float, shape: tuple[int, ...]) -> Gain:
    """Return the gain, 0 or 1, of a band that is the same in all directions.

    It holds sqrt(u^2 + v^2) <= fraction * (n // 2), for other than square images the
    ellipse with this half-axis in each axis. Its border belongs to it.
    """
    h, w = shape[0] // 2, shape[1] // 2
    rows, columns = _frequencies(shape)
    # Both axes in units of 1 / (h * w): whole numbers, whose squares are exact.
    distance = np.sqrt((rows * w) ** 2 + (columns * h) ** 2)
    # 1 - 0.8 is less than 0.2 in floats; frequencies are much further apart.
    return (distance <= fraction * h * w * (1 + 1e-12)).astype(np.float32)


def _frequencies(shape):
    """Return the cycles per image of the rows, [h, 1], and of the columns, [1, w_half].

    As floats that are whole numbers.
    """
    h, w = shape[:2]
    rows = np.fft.fftfreq(h, 1 / h).round()
    return rows[:, None], np.arange(w // 2 + 1.0)[None, :]


def _inside(frequency, half_width):
    return (frequency >= -half_width) & (frequency < half_width)
