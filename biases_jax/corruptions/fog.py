"""How does an image look through fog?"""

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, flavours, random_words
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import Array, Int, PRNGKey

STRENGTHS_AND_DECAYS = {
    1: (1.5, 2),
    2: (2, 2),
    3: (2.5, 1.7),
    4: (2.5, 1.5),
    5: (3, 1.4),
}
FIRST_AMPLITUDE = 100
ORIGINAL_SIDE = 256  # of the fog's map, whatever the image
# Heights are whole multiples of this, and what is added to an image are of that, so
# that no compiler's order of operations changes a byte. Four heights of at most 20409
# fit in int32; sums of at most 1020 levels in the 24 bits of a float32.
UNIT, STEP = 2.0**-14, 2.0**-13


@dataclasses.dataclass(frozen=True)
class Fog(corruption.Graded):
    """Adding a plasma fractal, then scaling down to the image's own maximum.

    Draws: `uniform_1`, `uniform_2` ... to half the map's side, each [3, n, n] on
    (-1, 1): of the squares' centres, their top edges, their left edges. The map's
    side is 256 in the original, which takes no larger image, and in imagecorruptions
    the power of two from the image's longer side up. Alike at 224. In float32 up to
    1 level off, on under 1e-4 of the values. Source: Hendrycks and Dietterich 2019.
    """

    flavour: str = "original"

    def __post_init__(self):
        super().__post_init__()
        flavours.demand(self.flavour)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the fog's `strength` in levels and the `amplitudes` of the draws.

        The amplitudes are by level of the map, in `UNIT`s of its height.
        """
        strength, decay = STRENGTHS_AND_DECAYS[self.severity]
        levels = np.arange(len(_sides(self.flavour, shape)))
        # Squared: the reference draws up to its amplitude, and then multiplies by it.
        amplitudes = (FIRST_AMPLITUDE / float(decay) ** levels) ** 2
        return {
            "strength": np.asarray(255 * strength, np.float32),
            "amplitudes": (amplitudes / UNIT).astype(np.float32),
        }

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the displacements of every level, independent and uniform."""
        sides = _sides(self.flavour, shape)
        sizes = [3 * n**2 for n in sides]
        # At once: a generator for each level takes ten times as long to compile.
        values = 2 * random_words.uniform(key, (sum(sizes),)) - 1
        parts = jnp.split(values, np.cumsum(sizes)[:-1])
        return {
            f"uniform_{n}": part.reshape(3, n, n)
            for n, part in zip(sides, parts, strict=True)
        }

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image in fog, of these draws and `parameters`."""
        height, width, _ = image.shape
        plasma = jnp.zeros((1, 1), jnp.int32)
        for level, n in enumerate(_sides(self.flavour, image.shape)):
            displacements = parameters["amplitudes"][level] * draws[f"uniform_{n}"]
            plasma = refined(plasma, jnp.round(displacements).astype(jnp.int32))
        plasma = (plasma - plasma.min()).astype(jnp.float32)
        plasma = (plasma / plasma.max())[:height, :width, None]
        strength = parameters["strength"]
        fog = jnp.round(strength / STEP * plasma) * STEP  # so that the sum is exact
        brightest = image.max().astype(jnp.float32)
        scale = brightest / (brightest + strength)
        return corruption.truncated((image.astype(jnp.float32) + fog) * scale)


def refined(
    grid: Int[Array, "n n"], displacements: Int[Array, "3 n n"]
) -> Int[Array, "2*n 2*n"]:
    """Return the torus of heights with a point between every two, displaced.

    A centre is the mean of its square's corners, an edge's middle that of its two
    ends and of the centres beside it (diamond-square). Means are rounded down.
    """
    n = len(grid)
    below, right = jnp.roll(grid, -1, 0), jnp.roll(grid, -1, 1)
    corners = grid + below + right + jnp.roll(below, -1, 1)
    centre = (corners >> 2) + displacements[0]
    top = ((centre + jnp.roll(centre, 1, 0) + grid + right) >> 2) + displacements[1]
    left = ((centre + jnp.roll(centre, 1, 1) + grid + below) >> 2) + displacements[2]
    even = jnp.stack([grid, top], -1).reshape(n, 2 * n)
    odd = jnp.stack([left, centre], -1).reshape(n, 2 * n)
    return jnp.stack([even, odd], 1).reshape(2 * n, 2 * n)


def _sides(flavour: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the sides of the grids that are refined: 1, 2, 4 ... half the map's."""
    longer = max(shape[:2])
    if flavour == "original" and longer > ORIGINAL_SIDE:
        raise ValueError(
            f"got an image of {shape[0]} x {shape[1]}, expected at most "
            f"{ORIGINAL_SIDE} x {ORIGINAL_SIDE}: the original fog's map is no larger; "
            "cut the image, or take the flavour 'imagecorruptions'"
        )
    levels = 8 if flavour == "original" else (longer - 1).bit_length()
    return tuple(2**level for level in range(levels))
