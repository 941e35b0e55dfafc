"""How does an image look on a sheet that is stretched here and there?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import (
    corruption,
    flavours,
    gaussian_filter,
    random_words,
    separable,
    warp,
)
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Float, PRNGKey

TRUNCATE = 3.0  # of the Gaussians, in deviations
# Of the original: strength; deviation of the Gaussian, and jitter, in pixels.
ORIGINAL = (
    (488, 170.8, 24.4),
    (488, 19.52, 48.8),
    (12.2, 2.44, 4.88),
    (17.08, 2.44, 4.88),
    (29.28, 2.44, 4.88),
)
STRENGTHS = (12.5, 16.25, 21.25, 25.0, 30.0)  # of imagecorruptions
DEVIATION, RANGE = 0.01, 0.005  # of imagecorruptions, in parts of a side


@dataclasses.dataclass(frozen=True)
class ElasticTransform(corruption.Corruption):
    """Move each pixel by a smooth field of random displacements.

    The original moves three points of the image at random before, and the rest with
    them. Within one level of the references, at fewer than 1 in 100 values: where
    float32 and float64 fall on two sides of a whole level. Not monotone in the
    severity, as published. Source: Hendrycks and Dietterich (2019), ImageNet-C.
    """

    flavour: str = "original"

    def __post_init__(self):
        super().__post_init__()
        flavours.demand(self.flavour)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the fields' `strength`, and their filter of the `rows`, `columns`."""
        strength, deviations = self._field(shape)
        found = {"strength": np.array(strength, np.float32)}
        sides = zip(("rows", "columns"), shape, deviations, strict=False)
        for side, size, deviation in sides:
            radius = len(gaussian_filter.taps(deviation, TRUNCATE)) // 2
            filter = gaussian_filter.matrix(size, deviation, "symmetric", TRUNCATE)
            found[side] = separable.blocks(filter, radius)
        return found

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the fields before they are smoothed, `dx` and `dy` [h, w], uniform.

        The original's are on (-1, 1); it has `jitter` [3, 2] as well, by how many
        pixels the points are moved (right, down).
        """
        field_key, jitter_key = jax.random.split(key)
        original = self.flavour == "original"
        most = 1.0 if original else RANGE * shape[0]
        fields = most * (2 * random_words.uniform(field_key, (2, *shape[:2])) - 1)
        draws = {"dx": fields[0], "dy": fields[1]}
        if original:
            unit = jax.random.uniform(jitter_key, (3, 2), minval=-1.0)
            draws["jitter"] = ORIGINAL[self.severity - 1][2] * unit
        return draws

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image on the sheet that these draws stretch."""
        levels = image.astype(jnp.float32)
        if self.flavour == "original":
            rows, columns = _affine(draws["jitter"], image.shape)
            levels = warp.sampled(levels, rows, columns, "reflect")
        fields = jnp.stack([draws["dy"], draws["dx"]], -1)
        smooth = separable.mapped(fields, parameters["rows"], parameters["columns"])
        smooth = smooth * parameters["strength"]
        row, column = _numbers(image.shape)
        rows = warp.places(row, smooth[:, :, 0])
        columns = warp.places(column, smooth[:, :, 1])
        return corruption.truncated(warp.sampled(levels, rows, columns, "symmetric"))

    def _field(self, shape):
        """Return the fields' strength, and their deviation along both axes."""
        if self.flavour == "original":
            strength, deviation, _ = ORIGINAL[self.severity - 1]
            return strength, (deviation, deviation)
        strength = STRENGTHS[self.severity - 1]
        return strength, tuple(DEVIATION * side for side in shape[:2])


def _affine(
    jitter: Float[Array, "3 2"], shape: tuple[int, ...]
) -> tuple[warp.Places, warp.Places]:
    """Return where each pixel was, if the map moves three points by the jitter.

    The points are the centre (as the reference has it: rows to the right) plus and
    minus a third of the shorter side, the second with minus downwards only.
    """
    reach = min(shape[:2]) // 3
    # The map's sides, which were 2 * reach downwards and to the right, and are now:
    down = jitter[0] - jitter[1] + jnp.array([0.0, 2 * reach])
    right = jitter[1] - jitter[2] + jnp.array([2.0 * reach, 0.0])
    scale = 2 * reach / (right[0] * down[1] - right[1] * down[0])
    row, column = _numbers(shape)
    # Relative to the second point, now and before.
    corner_row, corner_column = shape[1] // 2 - reach, shape[0] // 2 + reach
    x = (column - corner_column).astype(jnp.float32) - jitter[1, 0]
    y = (row - corner_row).astype(jnp.float32) - jitter[1, 1]
    before_x = scale * (down[1] * x - down[0] * y)
    before_y = scale * (right[0] * y - right[1] * x)
    return warp.places(corner_row, before_y), warp.places(corner_column, before_x)


def _numbers(shape):
    """Return the numbers of the rows, [h, 1], and of the columns, [1, w]."""
    return jnp.arange(shape[0])[:, None], jnp.arange(shape[1])[None, :]
