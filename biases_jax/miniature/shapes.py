"""Which sixteen silhouettes are there, and where is their inside?

Each is an implicit function d(x, y), negative inside and roughly a distance: the union
of parts is their minimum, the intersection their maximum. Parts of a union overlap,
since parts that only touch leave a false inner line in outlines.
"""

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float

Plane = Float[Array, "h w"]
Shape = Callable[[Plane, Plane], Plane]

PETALS = 8
AREA = 1.25  # of the frame's 4 units: all silhouettes cover as much
EXTENT = 1.2  # the silhouettes lie in [-EXTENT, EXTENT]^2
GRID = 480  # points along a side, on which they are measured


def _half_plane(x: Plane, y: Plane, a: float, b: float, c: float) -> Plane:
    """Return the distance from a x + b y < c."""
    return (a * x + b * y - c) / math.hypot(a, b)


def _box(x: Plane, y: Plane, half_width: float, half_height: float) -> Plane:
    return jnp.maximum(abs(x) - half_width, abs(y) - half_height)


def _disc(x: Plane, y: Plane, radius: float) -> Plane:
    return jnp.hypot(x, y) - radius


def _all(*parts: Plane) -> Plane:
    return functools.reduce(jnp.maximum, parts)


def _any(*parts: Plane) -> Plane:
    return functools.reduce(jnp.minimum, parts)


def _arrow(x, y):
    head = _all(0.05 - x, _half_plane(x, abs(y), 0.6, 0.85, 0.51))
    return _any(_box(x + 0.3, y, 0.6, 0.17), head)


def _bolt(x, y):
    slant = math.hypot(1, 0.4)
    upper = abs(x - 0.4 * y + 0.12) - 0.27
    lower = abs(x - 0.4 * y - 0.12) - 0.27 * jnp.clip((y + 0.95) / 0.9, 0, 1)
    return _any(
        _all(-0.12 - y, y - 0.95, upper / slant),
        _all(-0.95 - y, y - 0.12, lower / slant),
    )


def _bowtie(x, y):
    return _all(abs(x) - 0.85, _half_plane(abs(x), abs(y), -0.62, 1.0, 0.07))


def _crescent(x, y):
    return _all(_disc(x, y, 0.8), -_disc(x - 0.4, y, 0.66))


def _cross(x, y):
    return _any(_box(x, y, 0.85, 0.25), _box(x, y, 0.25, 0.85))


def _circle(x, y):
    return _disc(x, y, 0.7)


def _drop(x, y):
    tip = _all(-0.12 - y, _half_plane(abs(x), y, 0.93, 0.37, 0.37))
    return _any(_disc(x, y + 0.3, 0.48), tip)


def _fish(x, y):
    body = 0.4 * (jnp.hypot((x - 0.2) / 0.68, y / 0.4) - 1)
    tail = _all(-0.95 - x, x + 0.2, _half_plane(x, abs(y), 0.75, 1.0, -0.2))
    return _any(body, tail)


def _flower(x, y):
    petals = jnp.cos(PETALS * jnp.arctan2(y, x))
    return 0.6 * (jnp.hypot(x, y) - 0.62 * (1 + 0.35 * petals))


def _heart(x, y):
    point = (abs(x) + abs(y + 0.12) - 0.7) / math.sqrt(2)
    return _any(point, _disc(abs(x) - 0.35, y - 0.23, 0.495))


def _house(x, y):
    roof = _all(0.1 - y, _half_plane(abs(x), y, 0.75, 0.78, 0.66))
    return _any(_box(x, y + 0.22, 0.5, 0.55), roof)


def _key(x, y):
    bow = abs(_disc(x + 0.55, y, 0.295)) - 0.125
    teeth = (_box(x - place, y + 0.22, 0.09, 0.22) for place in (0.45, 0.83))
    return _any(bow, _box(x - 0.35, y, 0.6, 0.11), *teeth)


def _mushroom(x, y):
    return _any(_all(_disc(x, y, 0.78), -y), _box(x, y + 0.2, 0.22, 0.57))


def _ring(x, y):
    return abs(_disc(x, y, 0.6)) - 0.2


def _star(x, y):
    fifth = 2 * math.pi / 5
    angle = jnp.arctan2(x, y)  # from the tip that points up
    angle = abs(angle - fifth * jnp.round(angle / fifth))
    radius = jnp.hypot(x, y)
    inner_x, inner_y = 0.4 * math.cos(fifth / 2), 0.4 * math.sin(fifth / 2)
    along, across = radius * jnp.cos(angle), radius * jnp.sin(angle)
    return _half_plane(along, across, inner_y, 1 - inner_x, inner_y)


def _triangle(x, y):
    return _all(-0.5 - y, _half_plane(abs(x), y, 0.866, 0.5, 0.5))


SHAPES: dict[str, Shape] = {
    "arrow": _arrow,
    "bolt": _bolt,
    "bowtie": _bowtie,
    "crescent": _crescent,
    "cross": _cross,
    "disc": _circle,
    "drop": _drop,
    "fish": _fish,
    "flower": _flower,
    "heart": _heart,
    "house": _house,
    "key": _key,
    "mushroom": _mushroom,
    "ring": _ring,
    "star": _star,
    "triangle": _triangle,
}


def normalised(name: str) -> Shape:
    """Return a silhouette centred at its centroid and scaled to `AREA`.

    So neither area nor position tells the class.
    """

    def centred(x: Plane, y: Plane) -> Plane:
        (x0, y0), area = measured(name)
        size = math.sqrt(area / AREA)
        return SHAPES[name](size * x + x0, size * y + y0) / size

    return centred


@functools.cache
def measured(name: str) -> tuple[tuple[float, float], float]:
    """Return a silhouette's centroid and its area before normalisation."""
    ticks = (np.arange(GRID) + 0.5) * 2 * EXTENT / GRID - EXTENT
    x, y = np.meshgrid(ticks, ticks)
    with jax.ensure_compile_time_eval():  # also when first asked for under a trace
        inside = np.asarray(SHAPES[name](jnp.asarray(x), jnp.asarray(y))) < 0
    centroid = (float(x[inside].mean()), float(y[inside].mean()))
    return centroid, float(inside.mean() * (2 * EXTENT) ** 2)
