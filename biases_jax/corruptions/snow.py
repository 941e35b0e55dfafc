"""How does an image look while snow is falling?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import (
    corruption,
    flavours,
    motion_blur,
    random_words,
    zoom,
)
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Float, Int, PRNGKey

MEANS = (0.1, 0.2, 0.55, 0.55, 0.55)  # of the flakes' brightness
DEVIATION = 0.3
FACTORS = (3.0, 2.0, 4.0, 4.5, 2.5)  # by which flakes are enlarged
THRESHOLDS = (0.5, 0.5, 0.9, 0.85, 0.85)  # below which there is no flake
# Of their fall, in pixels.
RADII_AND_DEVIATIONS = ((10, 4.0), (12, 4.0), (12, 8.0), (12, 8.0), (12, 12.0))
CLARITY = (0.8, 0.7, 0.7, 0.65, 0.55)  # the image's share, against its whitened form
TAPS = 2 * max(radius for radius, _ in RADII_AND_DEVIATIONS) + 1
STEEPEST = 45.0  # degrees, to both sides of the vertical
LUMA = (0.299, 0.587, 0.114)


@dataclasses.dataclass(frozen=True)
class Snow(corruption.Graded):
    """Whitening, then adding falling flakes, and the same turned upside down.

    Draws: `normal` [h, w], `angle` in degrees, -135 to -45. The flavours differ in how
    they round the flakes. Both equal their references but where
    float32 puts a flake on another level, at fewer than 1 in 10,000 values. Source:
    Hendrycks and Dietterich 2019.
    """

    flavour: str = "original"

    def __post_init__(self):
        super().__post_init__()
        flavours.demand(self.flavour)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return how flakes are drawn, enlarged and fall, and how clear it is."""
        at = self.severity - 1
        rows, columns = (_axis(side, at) for side in shape[:2])
        single = {
            "mean": MEANS[at],
            "threshold": THRESHOLDS[at],
            "clear": CLARITY[at],
            "white": 1 - CLARITY[at],
        }
        return {name: np.asarray(x, np.float32) for name, x in single.items()} | {
            "rows_low": rows.low,
            "rows_share": rows.share,
            "columns_low": columns.low,
            "columns_share": columns.share,
            "weights": motion_blur.weights(*RADII_AND_DEVIATIONS[at], TAPS).astype(
                np.float32
            ),
        }

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the noise that becomes flakes, and the way in which they fall."""
        of_noise, of_angle = jax.random.split(key)
        turned = 2 * random_words.uniform(of_angle, ()) - 1
        normal = random_words.normal(of_noise, shape[:2])
        return {"normal": normal, "angle": STEEPEST * turned - 90}

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image in snow, of these draws and `parameters`."""
        parameters = jax.tree.map(jnp.asarray, parameters)
        layer = _flakes(draws["normal"], parameters)
        fall = draws["angle"], parameters["weights"]
        height, width, _ = image.shape
        if self.flavour == "original":
            layer = jnp.floor(255 * layer[:height, :width])
            # ImageMagick's rounding down of bytes.
            layer = jnp.floor(
                motion_blur.averaged(layer, *fall) + motion_blur.HALF_STEP
            )
        else:
            layer = jnp.round(255 * motion_blur.averaged(layer, *fall))
        flakes = layer[:height, :width].astype(jnp.int32)[..., None]
        levels = whitened(image, parameters["clear"], parameters["white"]) + flakes
        return jnp.clip(levels + flakes[::-1, ::-1], 0, 255).astype(jnp.uint8)


def whitened(
    image: Bytes, clear: Float[Array, ""], white: Float[Array, ""]
) -> Int[Array, "h w 3"]:
    """Return the image, mixed with a whiter one, in levels rounded down.

    In the reference's order of operations in float32: of a grey image, every tenth sum
    is a whole level but for their rounding.
    """
    values = jnp.asarray(np.arange(256, dtype=np.float32) / np.float32(255))
    pixels = jnp.take(values, image.astype(jnp.int32), mode="clip")
    # A product's `abs` keeps it from being fused with the sum that follows.
    red, green, blue = (jnp.abs(pixels[..., i] * LUMA[i]) for i in range(3))
    grey = (red + green + blue)[..., None]
    bright = jnp.maximum(pixels, jnp.abs(grey * 1.5) + 0.5)
    return floor_255(jnp.abs(clear * pixels) + jnp.abs(white * bright))


def floor_255(values: Float[Array, "h w 3"]) -> Int[Array, "h w 3"]:
    """Return 255 times values of 0 to 16, rounded down as the exact products are."""
    nearest = jnp.round(255 * values)
    high = jnp.round(values * 2**12) / 2**12
    # Both products are exact, and the sign of a sum of two numbers is.
    rest = (255 * high - nearest) + 255 * (values - high)
    return nearest.astype(jnp.int32) - (rest < 0).astype(jnp.int32)


def _axis(size: int, at: int) -> zoom.Axis:
    """Return the enlarged axis, with as many points as the longest of all severities.

    More than it has repeat its last: so does the blur that follows.
    """
    most = max(len(zoom.axis(size, factor).low) for factor in FACTORS)
    axis = zoom.axis(size, FACTORS[at])
    padding = (0, most - len(axis.low))
    return zoom.Axis(*(np.pad(points, padding, mode="edge") for points in axis))


def _flakes(normal, parameters):
    """Return the flakes before they fall, 0 to 1, on the enlarged axes."""
    rows = zoom.Axis(parameters["rows_low"], parameters["rows_share"])
    columns = zoom.Axis(parameters["columns_low"], parameters["columns_share"])
    noise = zoom.enlarged(normal, rows, columns)
    layer = DEVIATION * noise + parameters["mean"]
    return jnp.where(layer < parameters["threshold"], 0.0, layer).clip(0, 1)
