"""How do images of the drawn world come about, from a seed and an index?"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, UInt8

from biases_jax.miniature import classes, picture, sampling, scene, shapes, textures
from biases_jax.miniature.settings import Settings

CHUNK = 32  # images drawn by one call

_SHAPE = np.array([list(shapes.SHAPES).index(k.shape) for k in classes.KINDS])
_TEXTURE = np.array([list(textures.TEXTURES).index(k.texture) for k in classes.KINDS])


class Drawn(NamedTuple):
    """Images, uint8 RGB [n, side, side, 3], and what they show.

    `second` is the kind of a second object, -1 where there is none.
    """

    images: UInt8[np.ndarray, "n side side 3"]
    kinds: Int[np.ndarray, " n"]
    second: Int[np.ndarray, " n"]


def draw(
    seed: int,
    indices: Int[np.ndarray, " n"],
    settings: Settings,
    side: int = picture.WINDOW,
    kinds: Int[np.ndarray, " n"] | None = None,
    cues: Int[np.ndarray, " n"] | None = None,
) -> Drawn:
    """Return images, each a function of the seed and its index.

    Args:
        seed: of the set.
        indices: numbers of the images, from 0.
        settings: how scenes vary.
        side: of the images, in pixels; more than 224 shows more of the world.
        kinds: number of each image's class, 0 to 15; index modulo 16 by default.
        cues: number of the class whose texture each image has, where its settings ask
            for the own one; the class itself by default.
    """
    kinds = indices % len(classes.KINDS) if kinds is None else kinds
    cues = kinds if cues is None else cues
    drawn = [
        _chunk(
            seed, settings, side, *(a[at : at + CHUNK] for a in (indices, kinds, cues))
        )
        for at in range(0, len(indices), CHUNK)
    ]
    images, second = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    return Drawn(images, kinds, second)


def scenes(
    seed: Any, indices: Any, kinds: Any, cues: Any, settings: Settings
) -> scene.Scene:
    """Return scenes, stacked along axis 0; arguments as in `draw`."""
    keys = jax.vmap(functools.partial(jax.random.fold_in, jax.random.key(seed)))(
        indices
    )
    shape, texture = jnp.asarray(_SHAPE)[kinds], jnp.asarray(_TEXTURE)[cues]
    return jax.vmap(sampling.draw, (0, 0, 0, None))(keys, shape, texture, settings)


def _chunk(seed, settings, side, indices, kinds, cues):
    short = CHUNK - len(indices)
    padded = [np.pad(a, (0, short)).astype(np.int32) for a in (indices, kinds, cues)]
    settings = Settings(*(np.float32(value) for value in settings))
    images, second = jax.device_get(_paint(side)(np.uint32(seed), *padded, settings))
    return images[: len(indices)], second[: len(indices)]


@functools.cache
def _paint(side: int):
    @jax.jit
    def paint(seed, indices, kinds, cues, settings):
        drawn = scenes(seed, indices, kinds, cues, settings)
        # One after the other: of each switch, only the branch that is taken is run.
        images = jax.lax.map(functools.partial(picture.paint, side=side), drawn)
        kind_of_shape = jnp.asarray(np.argsort(_SHAPE))
        second = jnp.where(drawn.has_second, kind_of_shape[drawn.second.kind], -1)
        return jnp.round(images * 255).astype(jnp.uint8), second

    return paint
