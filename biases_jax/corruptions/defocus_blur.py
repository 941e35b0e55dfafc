"""How does an image look when the lens has another distance in focus?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy import fft

from biases_jax.corruptions import corruption, gaussian_filter
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Float

# In pixels: of the disc, and the deviation by which its edge is smoothed.
RADII_AND_DEVIATIONS = ((3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5))
SMALL = (
    8  # radii up to it have kernels as large as its, smoothed by three taps, not five
)
WIDEST = 10  # the widest kernel's radius, by which images are continued
ROUNDING = 1.5e-4  # of the filter in float32, in levels; measured on images of one grey


@dataclasses.dataclass(frozen=True)
class DefocusBlur(corruption.Graded):
    """Filter by a disc with smoothed edges, the image mirrored at the border.

    The discs of severities 4 and 5 fill their kernels, sum to 1.01 and brighten the
    image, as published. Within one level of the reference, at fewer than 1 in 10,000
    values, severity 1 exactly. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the filter's `gain`, its `total`, and what is `short` of the mean."""
        disc = kernel(*RADII_AND_DEVIATIONS[self.severity - 1])
        total = disc.sum(dtype=np.float64)
        # Means of whole numbers by n equal weights just below 1/n: whole levels fall
        # short, which half a step keeps apart from all that rounding does.
        even = np.ptp(disc[disc > 1e-6]) == 0
        return {
            "gain": _gain(disc, shape),
            "total": np.array(total, np.float32),
            "short": np.array(disc.max() / 2 if even else 0, np.float32),
            "greys": np.minimum(np.arange(256) * total, 255).astype(np.uint8),
        }

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image out of focus."""
        del draws
        height, width, _ = image.shape
        edge, sides = (WIDEST, WIDEST), _padded(image.shape)
        continued = jnp.pad(image, (edge, edge, (0, 0)), mode="reflect")
        layers = jnp.moveaxis(continued.astype(jnp.float32), -1, 0)
        gain = jnp.asarray(parameters["gain"])[None]
        spectrum = jnp.fft.rfft2(layers, sides)
        filtered = jnp.fft.irfft2(spectrum * gain.astype(spectrum.dtype), sides)
        filtered = filtered[:, WIDEST : WIDEST + height, WIDEST : WIDEST + width]
        values = jnp.moveaxis(filtered, 0, -1)
        grey = jnp.abs(values - parameters["total"] * image.astype(jnp.float32))
        return jnp.where(
            grey < ROUNDING,
            jnp.asarray(parameters["greys"])[image],
            corruption.truncated(values - parameters["short"]),
        )


def kernel(radius: int, deviation: float) -> Float[np.ndarray, "side side"]:
    """Return the disc, float32, rounded step by step as the reference's is."""
    half, reach = max(radius, SMALL), 1 if radius <= SMALL else 2
    squares = np.arange(-half, half + 1) ** 2
    disc = (squares[:, None] + squares[None, :] <= radius**2).astype(np.float32)
    taps = gaussian_filter.taps(deviation, reach / deviation)[reach:]
    smooth = _smoothed(disc / disc.sum(), taps.astype(np.float32))
    return _smoothed(smooth.T, taps.astype(np.float32)).T


def _smoothed(disc, taps):
    """Return the rows filtered by the taps from the middle on, mirrored at the ends."""
    reach, side = len(taps) - 1, disc.shape[1]
    padded = np.pad(disc, ((0, 0), (reach, reach)), mode="reflect")
    total = taps[0] * disc
    for i, tap in enumerate(taps[1:], 1):
        first, second = (padded[:, reach + at : reach + at + side] for at in (-i, i))
        # Product and sum are rounded once.
        total = (total + tap.astype(float) * (first + second)).astype(np.float32)
    return total


def _padded(shape):
    """Return sides that hold the continued image and are fast to transform."""
    return tuple(fft.next_fast_len(side + 2 * WIDEST, real=True) for side in shape[:2])


def _gain(disc, shape):
    """Return the half spectrum, float32, of a disc around the first pixel."""
    sides, half = _padded(shape), len(disc) // 2
    image = np.zeros(sides)
    image[: len(disc), : len(disc)] = disc
    around = np.roll(image, (-half, -half), (0, 1))
    # Its mirror images are the same: the spectrum is real.
    return np.fft.rfft2(around).real.astype(np.float32)
