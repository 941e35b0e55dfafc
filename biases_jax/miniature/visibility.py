"""How much of a scene's objects is seen?"""

from typing import Any, NamedTuple

import jax
import numpy as np
from jaxtyping import Float, Int

from biases_jax.miniature import picture, shapes, world
from biases_jax.miniature.scene import Scene
from biases_jax.miniature.settings import Settings
from biases_jax.types import Array


class Seen(NamedTuple):
    """Silhouettes, 0 to 1, and which share of the objects lies open in the frame.

    `other` is the kind of the second object, -1 where there is none.
    """

    silhouettes: Float[np.ndarray, "n 224 224"]
    first: Float[np.ndarray, " n"]
    second: Float[np.ndarray, " n"]
    other: Int[np.ndarray, " n"]


def seen(
    seed: int,
    indices: Int[np.ndarray, " n"],
    kinds: Int[np.ndarray, " n"],
    settings: Settings,
) -> Seen:
    """Return what is seen of the images that `world.draw` makes of these arguments."""
    return Seen(*world.in_chunks(_measure, seed, settings, indices, kinds, kinds))


@jax.jit
def _measure(seed: Any, indices: Any, kinds: Any, cues: Any, settings: Settings):
    drawn = world.scenes(seed, indices, kinds, cues, settings)
    return *jax.lax.map(_shares, drawn), world.second_kinds(drawn)


def _shares(scene: Scene) -> tuple[Array, Array, Array]:
    """Return the first silhouette and the open share of both, of their whole area."""
    first, second = picture.silhouettes(scene)
    free = 1 - picture.occluder(scene)
    open_ = first * free, second * free * (1 - first)
    shares = [
        # Of the frame; a silhouette of scale 1 has AREA, in halves of it.
        part.mean() / (shapes.AREA / 4 * thing.pose.scale**2)
        for part, thing in zip(open_, (scene.thing, scene.second), strict=True)
    ]
    return first, *shares
