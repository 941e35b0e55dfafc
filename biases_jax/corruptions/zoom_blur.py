"""How does an image look when the camera zooms in while it is taken?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, zoom
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import UInt8

# Ends of ranges in floating point: the first includes its own.
FACTORS = tuple(
    np.arange(1, end, step)
    for end, step in (
        (1.11, 0.01),
        (1.16, 0.01),
        (1.21, 0.02),
        (1.26, 0.02),
        (1.31, 0.03),
    )
)
MOST = max(len(factors) for factors in FACTORS)
ROUNDING = 1.5e-4  # of the mean in float32, in levels; measured on images of one grey


@dataclasses.dataclass(frozen=True)
class ZoomBlur(corruption.Graded):
    """Average the image and its enlargements by some factors, 1 among them.

    Within one level of the reference, at fewer than 2 in 10,000 values: where float32
    and float64 fall on two sides of a whole level. Source: Hendrycks and Dietterich
    (2019), ImageNet-C.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the `count` of enlargements, their axes, and images of one grey."""
        factors = FACTORS[self.severity - 1]
        rows, columns = (_axes(side, factors) for side in shape[:2])
        return {
            "count": np.array(len(factors), np.int32),
            "rows_low": rows.low,
            "rows_share": rows.share,
            "columns_low": columns.low,
            "columns_share": columns.share,
            "greys": _greys(len(factors)),
        }

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the mean of all enlargements, with the image counted twice."""
        del draws
        levels = image.astype(jnp.float32)
        parameters = jax.tree.map(jnp.asarray, parameters)

        def add(i, total):
            rows, columns = (
                zoom.Axis(parameters[f"{side}_low"][i], parameters[f"{side}_share"][i])
                for side in ("rows", "columns")
            )
            return total + zoom.enlarged(levels, rows, columns)

        total = jax.lax.fori_loop(0, parameters["count"], add, levels)
        means = total / (parameters["count"] + 1).astype(jnp.float32)
        grey = jnp.abs(means - levels) < ROUNDING
        greys = parameters["greys"][image]
        return jnp.where(grey, greys, corruption.truncated(means))


def _axes(size, factors):
    """Return the first `size` points of all axes, of as many as any severity has."""
    axes = [zoom.axis(size, float(factor)) for factor in factors]
    axes += [axes[0]] * (MOST - len(axes))  # not counted
    low = np.stack([axis.low[:size] for axis in axes])
    return zoom.Axis(low, np.stack([axis.share[:size] for axis in axes]))


def _greys(count: int) -> UInt8[np.ndarray, "256"]:
    """Return what the reference makes of images of one grey, in sums of float32."""
    images = np.arange(256).astype(np.float32) / np.float32(255)
    total = np.zeros_like(images)
    for _ in range(count):
        total += images
    means = (images + total) / np.float32(count + 1)
    return (means.clip(0, 1) * 255).astype(np.uint8)
