"""How does an image look with squares of a turned chessboard cut out?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, pixels
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.types import PRNGKey

FRACTION = (0.2, 0.3, 0.4, 0.5, 0.6)  # of the black squares; Mintun et al. 2021
BOARD = 896.0  # pixels: the side of all squares together, four times 224
MOST = 40  # squares a side: those of the smallest cell, 22.4 pixels
GREY = 128


@dataclasses.dataclass(frozen=True)
class CheckerboardCutout(corruption.Graded):
    """Grey squares at random places of one colour of a turned chessboard.

    Draws: `param_angle` in [0, 2 pi); `param_scales` [2], both the side of a square in
    pixels, 22.4 to 56; `grid` [n, n] in [0, 1), of which the first
    `floor(896 / side)` rows and columns tell which squares are cut.

    Source: Mintun et al. 2021 (ImageNet-C-bar). Equal to the reference, but for
    isolated pixels on borders of squares.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the part of the squares that is cut."""
        del shape
        return {"fraction": np.array(FRACTION[self.severity - 1], np.float32)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the board and which squares are cut first."""
        del shape
        turn, size, squares = jax.random.split(key, 3)
        cell = 224 * jax.random.uniform(size, minval=0.1, maxval=0.25)
        return {
            "param_angle": jax.random.uniform(turn, maxval=2 * jnp.pi),
            "param_scales": jnp.stack([cell, cell]),
            "grid": jax.random.uniform(squares, (MOST, MOST)),
        }

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image with the squares in grey."""
        rows, columns = pixels.rows_and_columns(image.shape)
        cell = jnp.asarray(draws["param_scales"], jnp.float32)[0]
        cosine, sine = jnp.cos(draws["param_angle"]), jnp.sin(draws["param_angle"])
        u = (cosine * rows + sine * columns) * (1 / cell)
        w = (cosine * columns - sine * rows) * (1 / cell)
        one_colour = (jnp.floor(u) + jnp.floor(w)) % 2 == 0
        # The grid goes by truncated numbers, as in the reference: the squares next to
        # the first row and column, on either side, share their fate.
        side = jnp.floor(BOARD / cell)
        place = [(jnp.trunc(number) % side).astype(jnp.int32) for number in (u, w)]
        hit = jnp.asarray(draws["grid"]) < parameters["fraction"]
        cut = one_colour & hit[place[0], place[1]]
        return jnp.where(cut[:, :, None], jnp.uint8(GREY), image)
