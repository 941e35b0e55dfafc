"""How does an image look through a pane that water or mud has hit?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import (
    canny,
    chamfer,
    corruption,
    gaussian_filter,
    neighbourhoods,
    random_words,
    separable,
)
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Int, PRNGKey, UInt8

MEANS = (0.65, 0.65, 0.65, 0.65, 0.67)  # of the liquid's thickness
DEVIATIONS = (0.3, 0.3, 0.3, 0.3, 0.4)
BLURS = (4.0, 3.0, 2.0, 1.0, 1.0)  # standard deviations in pixels
THRESHOLDS = (0.69, 0.68, 0.68, 0.65, 0.65)  # below which the pane is dry
AMOUNT = (0.6, 0.6, 0.5)  # of water, at severities 1 to 3; then it is mud
RADIUS = 16  # of the widest blur
WATER, MUD = (175, 238, 238), (63, 42, 20)  # RGB
MUD_BLUR, MUD_RADIUS, MUD_THRESHOLD = 1.5, 6, 0.8
RIDGES = ((-2, -1, 0), (-1, 1, 1), (0, 1, 2))  # a filter that makes water look uneven


@dataclasses.dataclass(frozen=True)
class Spatter(corruption.Graded):
    """Adding drops of water with darker edges (1 to 3), or covering with mud (4, 5).

    Draws: `normal`, [h, w]. Where float32 puts water's thickness on another level than
    float64, one drop's light differs or, at the brightest, that of all: by one level,
    of 4 in 1000 values at most; rarely an edge of a drop moves. Mud is within one
    level, at fewer than 1 in 1000 values, most of them as bright as mud before. So is
    the difference between the flavours, of which there is therefore one. Source:
    Hendrycks and Dietterich 2019.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the liquid's filters, `mean` and `threshold` in levels, and its kind.

        `rows` also scale the normal draws to levels.
        """
        at = self.severity - 1
        rows, columns = _filters(shape, BLURS[at], RADIUS)
        mud_rows, mud_columns = _filters(shape, MUD_BLUR, MUD_RADIUS)
        return {
            "rows": (255 * DEVIATIONS[at] * rows).astype(np.float32),
            "columns": columns,
            "mud_rows": mud_rows,
            "mud_columns": mud_columns,
            "mean": np.asarray(255 * MEANS[at], np.float32),
            "threshold": np.asarray(255 * THRESHOLDS[at], np.float32),
            "amount": np.asarray((*AMOUNT, 0, 0)[at], np.float32),
            "is_mud": np.asarray(at >= len(AMOUNT)),
        }

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the noise that becomes the liquid's thickness."""
        return {"normal": random_words.normal(key, shape[:2])}

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image behind the liquid, of these draws and `parameters`."""
        rows, columns = parameters["rows"], parameters["columns"]
        liquid = separable.mapped(draws["normal"], rows, columns) + parameters["mean"]
        is_mud = parameters["is_mud"]
        return jax.lax.cond(is_mud, _with_mud, _with_water, image, liquid, parameters)


def _filters(shape, deviation, radius):
    matrices = [gaussian_filter.matrix(size, deviation) for size in shape[:2]]
    return [separable.blocks(matrix, radius) for matrix in matrices]


def _with_mud(image, liquid, parameters):
    # What is bare, since float32 holds a little of it where it rounds the mud to 1.
    dry = (liquid <= parameters["threshold"]).astype(jnp.float32)
    rows, columns = parameters["mud_rows"], parameters["mud_columns"]
    cover = (1 - separable.mapped(dry, rows, columns))[..., None]
    levels, mud = image.astype(jnp.float32), _colour(MUD)
    covered = _moved(mud, (1 - cover) * (levels - mud))
    return jnp.where(cover < MUD_THRESHOLD, image, covered)


def _with_water(image, liquid, parameters):
    liquid = jnp.where(liquid < parameters["threshold"], 0.0, liquid)
    thickness = jnp.clip(liquid, 0, 255).astype(jnp.uint8)
    light = thickness.astype(jnp.float32) * lustre(thickness).astype(jnp.float32)
    most = jnp.maximum(light.max(), 1)  # 1 where all is dry
    light = (light / most * parameters["amount"])[..., None]
    return _moved(image.astype(jnp.float32), light * _colour(WATER))


def _colour(levels):
    return jnp.array(levels, jnp.float32)[None, None]


def _moved(levels, change):
    # Rounded down before the sum, which is the same and leaves no compiler a choice.
    return corruption.truncated(levels + jnp.floor(change))


def lustre(thickness: UInt8[Array, "h w"]) -> Int[Array, "h w"]:
    """Return how bright drops are, 0 to 255: darker at their edges."""
    distances = chamfer.distances(canny.edges(thickness))
    sums = neighbourhoods.mapped(_sum, distances, 1, mode="reflect")
    levels = equalised(sums // (9 * chamfer.SCALE), chamfer.FURTHEST)
    ridges = neighbourhoods.mapped(_filtered, levels, 1, mode="reflect").clip(0, 255)
    # The mean of nine, to the nearest whole number; there are no halves.
    return (2 * neighbourhoods.mapped(_sum, ridges, 1, mode="reflect") + 9) // 18


def equalised(levels: Int[Array, "h w"], highest: int) -> Int[Array, "h w"]:
    """Return the levels, 0 to `highest`, spread over 0 to 255 by their frequency.

    As OpenCV does: the lowest that occurs becomes 0, and a single one stays.
    """
    each = jnp.arange(highest + 1, dtype=jnp.int32)[:, None]
    counts = (levels.ravel()[None] <= each).sum(1, dtype=jnp.int32)
    lowest = (levels == levels.min()).sum(dtype=jnp.int32)
    others = levels.size - lowest
    scale = 255 / jnp.maximum(others, 1).astype(jnp.float32)
    table = jnp.round((counts - lowest).astype(jnp.float32) * scale)
    spread = jnp.take(table.astype(jnp.int32), levels, mode="clip")
    return jnp.where(others == 0, levels, spread)


def _sum(at) -> Int[Array, " n"]:
    return sum(at(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1))


def _filtered(at) -> Int[Array, " n"]:
    return sum(
        weight * at(down - 1, right - 1)
        for down, weights in enumerate(RIDGES)
        for right, weight in enumerate(weights)
    )
