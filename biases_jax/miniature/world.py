"""How do images of the drawn world come about, from a seed and an index?"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int, UInt8

from biases_jax.miniature import classes, picture, sampling, scene
from biases_jax.miniature.settings import Settings
from biases_jax.types import Array

CHUNK = 32  # images drawn by one call


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
    images, second = in_chunks(_paint(side), seed, settings, indices, kinds, cues)
    return Drawn(images, kinds, second)


def in_chunks(
    program: Callable[..., Any],
    seed: int,
    settings: Settings,
    indices: Int[np.ndarray, " n"],
    kinds: Int[np.ndarray, " n"],
    cues: Int[np.ndarray, " n"],
) -> list[np.ndarray]:
    """Return what a compiled program gives for scenes, `CHUNK` at a time.

    Args:
        program: takes seed, indices, kinds, cues and settings; returns arrays that are
            stacked along axis 0.
        seed: as in `draw`, and so are the others.
        settings: see there.
        indices: see there.
        kinds: see there.
        cues: see there.
    """
    settings = Settings(*(np.float32(value) for value in settings))
    parts = []
    for at in range(0, len(indices), CHUNK):
        some = [array[at : at + CHUNK] for array in (indices, kinds, cues)]
        count = len(some[0])
        padded = [np.pad(a, (0, CHUNK - count)).astype(np.int32) for a in some]
        leaves = jax.device_get(program(np.uint32(seed), *padded, settings))
        parts.append([leaf[:count] for leaf in leaves])
    return [np.concatenate(leaves) for leaves in zip(*parts, strict=True)]


def scenes(
    seed: Any, indices: Any, kinds: Any, cues: Any, settings: Settings
) -> scene.Scene:
    """Return scenes, stacked along axis 0; arguments as in `draw`."""
    keys = jax.vmap(functools.partial(jax.random.fold_in, jax.random.key(seed)))(
        indices
    )
    return jax.vmap(sampling.draw, (0, 0, 0, None))(keys, kinds, cues, settings)


def second_kinds(scenes: scene.Scene) -> Int[Array, " n"]:
    """Return the kind of the second object of each of n scenes, -1 where none is."""
    kinds = jnp.asarray(classes.KIND_OF_SHAPE)[scenes.second.kind]
    return jnp.where(scenes.has_second, kinds, -1)


@functools.cache
def _paint(side: int):
    @jax.jit
    def paint(seed, indices, kinds, cues, settings):
        drawn = scenes(seed, indices, kinds, cues, settings)
        # One after the other: of each switch, only the branch that is taken is run.
        images = jax.lax.map(functools.partial(picture.paint, side=side), drawn)
        return jnp.round(images * 255).astype(jnp.uint8), second_kinds(drawn)

    return paint
