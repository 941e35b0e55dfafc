"""How does an image look when the camera moves while it is taken?"""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, flavours
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Float, Int, PRNGKey

RADII_AND_DEVIATIONS = (
    (10, 3.0),
    (15, 5.0),
    (15, 8.0),
    (15, 12.0),
    (20, 15.0),
)  # in pixels
TAPS = 2 * max(radius for radius, _ in RADII_AND_DEVIATIONS) + 1
STEEPEST = 45.0  # degrees, to both sides of the horizontal


# ImageMagick, which the original calls, rounds to whole 65535ths, which are 257ths of a
# level, and then rounds these down to levels.
HALF_STEP = 0.5 / 257


@dataclasses.dataclass(frozen=True)
class MotionBlur(corruption.Graded):
    """Average over a line from each pixel, whose weights fall off like a Gaussian's.

    Both flavours within one level of their references, at fewer than 1 in 10,000
    values; they differ from each other in how they round, by one level at 3 in 1,000.
    Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    flavour: str = "original"

    def __post_init__(self):
        super().__post_init__()
        flavours.demand(self.flavour)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the `weights` along the line and the images of one grey, `greys`."""
        del shape
        exact = weights(*RADII_AND_DEVIATIONS[self.severity - 1], TAPS)
        # In the order of the reference's sums, which sometimes fall short of a level.
        sums = np.cumsum(exact[:, None] * np.arange(256.0), axis=0)[-1]
        return {"weights": exact.astype(np.float32), "greys": sums.astype(np.uint8)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return `angle` in degrees, uniform on (-45, 45)."""
        del shape
        angle = jax.random.uniform(key, minval=-STEEPEST, maxval=STEEPEST)
        return {"angle": angle}

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image moved towards `angle`, down from the right."""
        levels = image.astype(jnp.float32)
        line = draws["angle"], jnp.asarray(parameters["weights"])
        # As a change, of which float32 keeps the sign: the last weights are so small
        # that they move a mean from a whole level by less than float32 tells of it.
        change = averaged(levels, *line, less=levels)
        if self.flavour == "original":
            return corruption.truncated(levels + jnp.floor(change + HALF_STEP))
        greys = jnp.asarray(parameters["greys"])[image]
        moved = corruption.truncated(levels + jnp.floor(change))
        return jnp.where(change == 0, greys, moved)


def weights(radius: int, deviation: float, taps: int) -> Float[np.ndarray, " taps"]:
    """Return one half of a Gaussian, float64 of sum 1, with zeros up to `taps`.

    It is cut off after 2 * `radius` pixels; `deviation` is in pixels.
    """
    along = np.arange(2 * radius + 1.0)
    density = np.exp(-(along**2) / (2 * deviation**2)) / (
        math.sqrt(2 * math.pi) * deviation
    )
    return np.pad(density / density.sum(), (0, taps - len(along)))


def averaged(
    layer: Float[Array, "h w *c"],
    angle: Float[Array, ""],
    weights: Float[Array, " taps"],
    less: Float[Array, "h w *c"] | float = 0.0,
) -> Float[Array, "h w *c"]:
    """Return the weighted mean over a line of pixels from each pixel on.

    The line starts at the pixel, as long as there are weights, towards `angle`
    (degrees, from the right downwards); the image's border is repeated. `less` is what
    is subtracted from each of a pixel's line.
    """
    h, w = layer.shape[:2]
    taps = len(weights)
    down, right = steps(angle, taps)
    # Whatever the direction: as far as a line can reach to all sides.
    padding = [(taps, taps)] * 2 + [(0, 0)] * (layer.ndim - 2)
    padded = jnp.pad(layer, padding, mode="edge")
    padded = padded.reshape(h + 2 * taps, -1)
    channels = padded.shape[1] // (w + 2 * taps)
    less = jnp.broadcast_to(less, layer.shape).reshape(h, -1)

    def add(i, total):
        start = (down[i] + taps, (right[i] + taps) * channels)
        moved = jax.lax.dynamic_slice(padded, start, total.shape)
        return total + weights[i] * (moved - less)

    nothing = jnp.zeros((h, w * channels), layer.dtype)
    return jax.lax.fori_loop(0, taps, add, nothing).reshape(layer.shape)


def steps(
    angle: Float[Array, ""], taps: int
) -> tuple[Int[Array, " taps"], Int[Array, " taps"]]:
    """Return how far down and how far right a line's pixels are from its first."""
    along = jnp.arange(taps, dtype=jnp.float32)
    radians = jnp.deg2rad(angle)
    down, right = along * jnp.sin(radians), along * jnp.cos(radians)
    return _nearest(down), _nearest(right)


def _nearest(places):
    return jnp.ceil(places - 0.5).astype(jnp.int32)
