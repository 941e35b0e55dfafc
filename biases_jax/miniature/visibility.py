"""How much of a scene's objects is seen?"""

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from biases_jax.miniature import classes, picture, shapes, world
from biases_jax.miniature.scene import Clutter, Scene
from biases_jax.miniature.settings import Settings
from biases_jax.types import Array

_KIND_OF_SHAPE = np.argsort(
    [list(shapes.SHAPES).index(kind.shape) for kind in classes.KINDS]
)


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
    parts = [
        _chunk(
            seed, indices[at : at + world.CHUNK], kinds[at : at + world.CHUNK], settings
        )
        for at in range(0, len(indices), world.CHUNK)
    ]
    return Seen(*(np.concatenate(leaves) for leaves in zip(*parts, strict=True)))


def _chunk(seed, indices, kinds, settings):
    short = world.CHUNK - len(indices)
    padded = [np.pad(a, (0, short)).astype(np.int32) for a in (indices, kinds)]
    settings = Settings(*(np.float32(value) for value in settings))
    leaves = jax.device_get(_measure()(np.uint32(seed), *padded, settings))
    return [leaf[: len(indices)] for leaf in leaves]


@functools.cache
def _measure():
    @jax.jit
    def measure(seed: Any, indices: Any, kinds: Any, settings: Settings):
        drawn = world.scenes(seed, indices, kinds, kinds, settings)
        silhouettes, first, second = jax.lax.map(_shares, drawn)
        other = jnp.asarray(_KIND_OF_SHAPE)[drawn.second.kind]
        return silhouettes, first, second, jnp.where(drawn.has_second, other, -1)

    return measure


def _shares(scene: Scene) -> tuple[Array, Array, Array]:
    """Return the first silhouette and the open share of both, of their whole area."""
    things = scene.thing, scene.second
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *things)
    first, second = jax.lax.map(
        lambda thing: picture.silhouette(scene._replace(thing=thing)), stacked
    )
    hidden = _hidden(jax.tree.map(lambda leaf: leaf[-1], scene.clutter))
    open_ = first * (1 - hidden), second * (1 - hidden) * (1 - first)
    whole = shapes.AREA / 4 * stacked.pose.scale**2  # of the frame
    return first, open_[0].mean() / whole[0], open_[1].mean() / whole[1]


def _hidden(thing: Clutter) -> Float[Array, "224 224"]:
    """Return where a small thing lies, 0 or 1."""
    ticks = jnp.arange(0.5, picture.WINDOW) / picture.SHARPNESS - 1
    dx, dy = ticks[None, :] - thing.place[0], -ticks[:, None] - thing.place[1]
    cosine, sine = jnp.cos(thing.angle), jnp.sin(thing.angle)
    a = abs(cosine * dx + sine * dy) / thing.half[0]
    b = abs(cosine * dy - sine * dx) / thing.half[1]
    inside = jnp.where(thing.round, jnp.hypot(a, b), jnp.maximum(a, b)) < 1
    return (inside & (thing.opacity > 0)).astype(jnp.float32)
