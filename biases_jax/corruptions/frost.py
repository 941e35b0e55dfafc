"""How does an image look through a frozen window?"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions import corruption, flavours, frost_textures, random_words
from biases_jax.corruptions.corruption import Bytes, Draws
from biases_jax.corruptions.one_by_one import one_by_one
from biases_jax.types import PRNGKey

WEIGHTS = ((1, 0.4), (0.8, 0.6), (0.7, 0.7), (0.65, 0.7), (0.6, 0.75))


@dataclasses.dataclass(frozen=True)
class Frost(corruption.Graded):
    """Adding a piece of a photograph of frost, each with a weight. Exact.

    Draws: `crop`, uint8 [h, w, 3], from one of five textures. `textures` is the name of
    what they are (`frost_textures.find`); in the flavour of imagecorruptions they are
    enlarged by 1.1 first. Source: Hendrycks and Dietterich 2019.
    """

    flavour: str = "original"
    textures: str = dataclasses.field(default_factory=frost_textures.find)

    def __post_init__(self):
        super().__post_init__()
        flavours.demand(self.flavour)

    def lacks(self) -> str:
        """Return why the textures are not at hand, '' if they are."""
        return frost_textures.lacks(self.textures)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the `table`, uint8 [256, 256], of sums by image and frost."""
        del shape
        of_image, of_frost = WEIGHTS[self.severity - 1]
        values = np.arange(256.0)
        # In float64, as the reference sums: many sums are whole levels, or just not.
        sums = of_image * values[:, None] + of_frost * values
        return {"table": np.clip(sums, 0, 255).astype(np.uint8)}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the crop, whose texture and place are uniform."""
        height, width, _ = shape
        found = frost_textures.textures(self.textures, self.flavour, height, width)
        which, *place = random_words.uniform(key, (3,))
        index = jnp.floor(len(found.stack) * which).astype(jnp.int32)
        starts = jnp.asarray(found.starts, jnp.float32)[index]
        top, left = jnp.floor(jnp.stack(place) * starts).astype(jnp.int32)
        start, size = (index, top, left, 0), (1, height, width, 3)
        return {"crop": jax.lax.dynamic_slice(found.stack, start, size)[0]}

    def drawn(self, shape: tuple[int, ...]) -> Draws:
        """Return the crop's shape and dtype, for which no textures are needed."""
        return {"crop": jax.ShapeDtypeStruct(shape, jnp.uint8)}

    @one_by_one
    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the image in frost, of these draws and `parameters`."""
        table = jnp.asarray(parameters["table"]).ravel()
        place = image.astype(jnp.int32) * 256 + draws["crop"].astype(jnp.int32)
        return jnp.take(table, place, mode="clip")
