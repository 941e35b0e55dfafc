"""How is a scene drawn?"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.miniature import shapes, textures
from biases_jax.miniature.scene import Clutter, Frame, Ground, Pose, Scene, Thing
from biases_jax.types import Array, Float

Plane = Float[Array, "h w"]
Picture = Float[Array, "3 h w"]  # colours first: three times faster on a CPU

WINDOW = 224  # pixels along a side of the frame, [-1, 1]
SHARPNESS = WINDOW / 2  # edges are one pixel wide
LINE = 0.03  # half the width of an outline, in halves of the frame

_SHAPES = tuple(shapes.normalised(name) for name in shapes.SHAPES)
_TEXTURES = tuple(textures.TEXTURES.values())


def paint(scene: Scene, side: int = WINDOW) -> Float[Array, "side side 3"]:
    """Return the picture, RGB in [0, 1].

    Args:
        scene: one scene.
        side: of the picture, in pixels; what is beyond 224 lies around the frame.
    """
    x, y = _grid(side)
    things = (scene.thing, scene.second)
    distances = _distances(things, x, y)
    values = _textures((scene.ground.frame, *(t.frame for t in things)), x, y)
    picture = _ground(scene.ground, values[0], x, y)
    *behind, before = _each(scene.clutter)
    for small in behind:
        picture = _lay(picture, small, x, y)
    second = jnp.where(scene.has_second, _inside(distances[1]), 0)
    picture = _blend(picture, _mix(scene.second.colours, values[2]), second)
    first = jnp.where(scene.close_up, 1, _inside(distances[0]))
    picture = _blend(picture, _mix(scene.thing.colours, values[1]), first)
    picture = _lay(picture, before, x, y)
    drawing = _line(scene.ground, distances[0])
    picture = jnp.where(scene.outline, drawing, picture)
    noise = jax.random.normal(scene.noise_key, picture.shape)
    return jnp.clip(picture + scene.noise * noise, 0, 1).transpose(1, 2, 0)


def silhouettes(scene: Scene) -> Float[Array, "2 224 224"]:
    """Return where both objects are, 0 to 1, antialiased; nothing hides them."""
    return _inside(_distances((scene.thing, scene.second), *_grid(WINDOW)))


def occluder(scene: Scene) -> Float[Array, "224 224"]:
    """Return where a small thing lies before the objects, 0 to 1, antialiased."""
    return _covered(_each(scene.clutter)[-1], *_grid(WINDOW))


@functools.cache
def _ticks(side: int) -> np.ndarray:
    return ((np.arange(side) + 0.5 - side / 2) / SHARPNESS).astype(np.float32)


def _grid(side: int) -> tuple[Plane, Plane]:
    """Return the coordinates of the pixels' centres, y upwards."""
    ticks = _ticks(side)
    x, y = np.meshgrid(ticks, -ticks)
    return jnp.asarray(x), jnp.asarray(y)


def _distance(thing: Thing, x: Plane, y: Plane) -> Plane:
    """Return the distance from the silhouette's edge, negative inside."""
    pose: Pose = thing.pose
    dx, dy = x - pose.shift[0], y - pose.shift[1]
    a = pose.inverse[0, 0] * dx + pose.inverse[0, 1] * dy
    b = pose.inverse[1, 0] * dx + pose.inverse[1, 1] * dy
    return pose.scale * jax.lax.switch(thing.kind, _SHAPES, a, b) - pose.thickness


def _inside(distance: Float[Array, "*n h w"]) -> Float[Array, "*n h w"]:
    return jnp.clip(0.5 - SHARPNESS * distance, 0, 1)


def _distances(things: tuple[Thing, ...], x: Plane, y: Plane) -> Float[Array, "n h w"]:
    # In a loop, since each switch in the program takes seconds to compile.
    return jax.lax.map(lambda thing: _distance(thing, x, y), _stacked(things))


def _textures(frames: tuple[Frame, ...], x: Plane, y: Plane) -> Float[Array, "n h w"]:
    return jax.lax.map(lambda frame: _texture(frame, x, y), _stacked(frames))


def _stacked(trees):
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def _texture(frame: Frame, x: Plane, y: Plane) -> Plane:
    """Return the texture's value, 0 to 1; 0 where there is none."""
    cosine, sine = jnp.cos(frame.angle), jnp.sin(frame.angle)
    u = (cosine * x + sine * y) / frame.period + frame.offset[0]
    v = (cosine * y - sine * x) / frame.period + frame.offset[1]
    flat = (lambda u, v, phases: jnp.zeros_like(u),)
    return jax.lax.switch(frame.kind, _TEXTURES + flat, u, v, frame.phases)


def _ground(ground: Ground, texture: Plane, x: Plane, y: Plane) -> Picture:
    cloud = jnp.zeros_like(x)
    for (a, b), phase in zip(ground.frequencies, ground.phases, strict=True):
        cloud += jnp.sin(2 * math.pi * (a * x + b * y) + phase)
    cloud = 0.5 + 0.25 * cloud
    value = cloud + ground.weight * (texture - cloud)
    return _mix(ground.colours, jnp.clip(value, 0, 1))


def _each(things: Clutter) -> list[Clutter]:
    count = things.opacity.shape[0]
    return [jax.tree.map(lambda leaf, i=i: leaf[i], things) for i in range(count)]


def _lay(picture: Picture, thing: Clutter, x: Plane, y: Plane) -> Picture:
    return _blend(picture, thing.colour[:, None, None], _covered(thing, x, y))


def _covered(thing: Clutter, x: Plane, y: Plane) -> Plane:
    """Return how much one small thing hides, 0 to its opacity, antialiased."""
    cosine, sine = jnp.cos(thing.angle), jnp.sin(thing.angle)
    dx, dy = x - thing.place[0], y - thing.place[1]
    a = abs(cosine * dx + sine * dy)
    b = abs(cosine * dy - sine * dx)
    wide, high = thing.half[0], thing.half[1]
    rectangle = jnp.maximum(a - wide, b - high)
    ellipse = (jnp.hypot(a / wide, b / high) - 1) * jnp.minimum(wide, high)
    return thing.opacity * _inside(jnp.where(thing.round, ellipse, rectangle))


def _line(ground: Ground, distance: Plane) -> Picture:
    """Return a drawing: a dark line on the lighter of the ground's colours."""
    paper = 0.75 + 0.25 * ground.colours.max()
    stroke = _inside(abs(distance) - LINE)
    return jnp.broadcast_to(paper - 0.7 * stroke, (3, *stroke.shape))


def _mix(colours: Float[Array, "2 3"], value: Plane) -> Picture:
    first, second = colours[:, :, None, None]
    return first + (second - first) * value[None]


def _blend(picture: Picture, over: Float[Array, "..."], mask: Plane) -> Picture:
    return picture + (over - picture) * mask[None]
