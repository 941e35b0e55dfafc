"""How does an image look behind clouds?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import Array, Float, Int, PRNGKey

ALPHA = (0.23, 0.26, 0.29, 0.38, 0.44)  # part of the clouds; Mintun et al. 2021
CELLS = (32, 16, 8, 4, 2)  # pixels: sides of the lattices' cells
TABLE = 256  # gradients, and the period of the lattices


@dataclasses.dataclass(frozen=True)
class PerlinNoise(corruption.Graded):
    """A blend with turbulence: five octaves of gradient noise, folded at zero.

    Draws: `gradients` [256, 2] of length 1, down and right; `permutation` [256] of
    0 to 255.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Of the reference's values at most
    1e-3 are off, by one level; at severity 3 up to 2e-2 of images that are white in
    places, which float64 leaves just below 255.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the clouds' part in the blend."""
        del shape
        return {"alpha": np.array(ALPHA[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the gradients and their order."""
        del shape
        slopes, order = jax.random.split(key)
        steps = jax.random.randint(slopes, (TABLE, 2), -256, 256).astype(jnp.float32)
        square = jnp.sum(steps**2, axis=1, keepdims=True)
        # One in 262,144 has no direction, and is NaN in the reference: it gets one.
        steps = jnp.where(square == 0, 1.0, steps)
        return {
            "gradients": steps / jnp.sqrt(jnp.where(square == 0, 2.0, square)),
            "permutation": jax.random.permutation(order, TABLE),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the blend of the image and the clouds."""
        h, w, _ = image.shape
        finest = CELLS[-1]
        corners = (-(-h // finest) + 1, -(-w // finest) + 1)
        gradients = lattice(corners, draws["gradients"], draws["permutation"])
        folded = [
            jnp.abs(octave(gradients, (h, w), cell)) * (cell / CELLS[0])
            for cell in CELLS
        ]
        clouds = jnp.clip(0.5 * sum(folded) + 0.5, 0, 1)
        alpha = parameters["alpha"]
        kept = (1 - alpha) * image.astype(jnp.float32)
        return corruption.truncated(kept + (255 * alpha * clouds)[:, :, None])


def lattice(
    corners: tuple[int, int],
    gradients: Float[Array, "256 2"],
    permutation: Int[Array, "256"],
) -> Float[Array, "2 i j"]:
    """Return the gradients at the lattice's first corners, downward and to the right.

    Corner (i, j) has the gradient of P[(P[i] + j) mod 256], P being the permutation.
    """
    down = jnp.arange(corners[0]) % TABLE
    right = jnp.arange(corners[1])
    order = jnp.asarray(permutation).astype(jnp.int32)
    number = order[(order[down][:, None] + right[None, :]) % TABLE]
    table = jnp.asarray(gradients, jnp.float32)
    return jnp.stack([table[:, 0][number], table[:, 1][number]])


def octave(
    gradients: Float[Array, "2 i j"], size: tuple[int, int], cell: int
) -> Float[Array, "h w"]:
    """Return gradient noise of h x w pixels whose lattice has cells of this side.

    No pixel looks up its corners: a cell's pixels lie alike in all cells, so that the
    lattice is spread, first downward and then to the right, with constant weights.
    """
    n, m = (-(-side // cell) for side in size)
    offset = np.arange(cell, dtype=np.float32) / cell
    weight = offset * offset * (3 - 2 * offset)
    a, s = offset[None, :, None], weight[None, :, None]
    above, below = (
        gradients[:, :n, None, : m + 1],
        gradients[:, 1 : n + 1, None, : m + 1],
    )
    height = (1 - s) * a * above[0] + s * (a - 1) * below[0]
    slope = (1 - s) * above[1] + s * below[1]
    height, slope = (part.reshape(n * cell, m + 1, 1) for part in (height, slope))
    b, s = offset[None, None, :], weight[None, None, :]
    left = height[:, :-1] + slope[:, :-1] * b
    right = height[:, 1:] + slope[:, 1:] * (b - 1)
    noise = 1.5 * ((1 - s) * left + s * right)
    return noise.reshape(n * cell, m * cell)[: size[0], : size[1]]
