"""Which sixteen textures are there?

Each maps texture coordinates (u, v), in periods, and six random phases to a value in
[0, 1], which mixes two colours.
"""

import math
from collections.abc import Callable

import jax.numpy as jnp

from biases_jax.types import Array, Float

Plane = Float[Array, "h w"]
Phases = Float[Array, "6"]  # in [0, 2 pi)
Texture = Callable[[Plane, Plane, Phases], Plane]

TURN = 2 * math.pi


def _soft(steepness: float, value: Plane) -> Plane:
    """Return a threshold at 0 that rises over about 1 / steepness."""
    return 0.5 + 0.5 * jnp.tanh(steepness * value)


def _fraction(value: Plane) -> Plane:
    return value - jnp.floor(value)


def _odd(value: Plane) -> Plane:
    return jnp.mod(jnp.floor(value), 2)


def _half_shifted(u: Plane, v: Plane, spacing: float) -> tuple[Plane, Plane]:
    """Return the place in the cell of a lattice whose odd rows are shifted by half."""
    u, v = u / spacing, v / spacing
    u = u + 0.5 * _odd(v)
    return (_fraction(u) - 0.5) * spacing, (_fraction(v) - 0.5) * spacing


def _stripes(u, v, phases):
    return _soft(3.0, jnp.sin(TURN * u))


def _checker(u, v, phases):
    return _soft(5.0, jnp.sin(0.62 * TURN * u) * jnp.sin(0.62 * TURN * v))


def _dots(u, v, phases):
    return _soft(12.0, 0.3 - jnp.hypot(*_half_shifted(u, v, 1.0)))


def _net(u, v, phases):
    from_centre = [abs(_fraction(0.9 * w) - 0.5) for w in (u, v)]
    return _soft(18.0, jnp.maximum(*from_centre) - 0.38)


def _bricks(u, v, phases):
    across = abs(_fraction(1.1 * v) - 0.5)
    along = abs(_fraction(0.55 * u + jnp.floor(1.1 * v) / 2) - 0.5)
    return _soft(18.0, jnp.maximum(across, 0.5 - 2 * (0.5 - along)) - 0.36)


def _zigzag(u, v, phases):
    return _soft(3.0, jnp.sin(TURN * (v + 2.08 * abs(_fraction(0.6 * u) - 0.5))))


def _scales(u, v, phases):
    value = jnp.zeros_like(u)
    for step in (2, 1, 0, -1):  # from the rows behind to those in front
        row = jnp.floor(2 * v) + step
        shift = jnp.mod(row, 2) / 2
        distance = jnp.hypot(_fraction(u + shift) - 0.5, v - row / 2)
        value = jnp.where(distance < 0.63, _soft(18.0, 0.46 - distance), value)
    return value


def _mosaic(u, v, phases):
    # A hash whose arguments stay small, so that float32 is enough.
    places = 12.9898 * jnp.floor(2.2 * u) + 78.233 * jnp.floor(2.2 * v)
    return _soft(4.0, _fraction(437.5853 * jnp.sin(places + 6 * phases[0])) - 0.5)


def _camo(u, v, phases):
    total = jnp.zeros_like(u)
    for wave in range(6):
        angle = math.pi * (wave + 0.5) / 6
        place = math.cos(angle) * u + math.sin(angle) * v
        total += jnp.sin(0.62 * TURN * place + phases[wave])
    return _soft(1.6, total)


def _pluses(u, v, phases):
    a, b = (abs(w) for w in _half_shifted(u, v, 0.8))
    horizontal = jnp.maximum(a - 0.3, b - 0.13)
    vertical = jnp.maximum(a - 0.13, b - 0.3)
    return _soft(18.0, -jnp.minimum(horizontal, vertical))


def _bubbles(u, v, phases):
    distance = jnp.hypot(*_half_shifted(u, v, 0.8))
    return _soft(18.0, 0.1 - abs(distance - 0.29))


def _sails(u, v, phases):
    return _soft(8.0, _fraction(0.75 * u) - _fraction(0.75 * v))


def _weave(u, v, phases):
    along = _odd(_odd(u / 0.55) + _odd(v / 0.55))
    return _soft(3.0, jnp.sin(1.1 * TURN * jnp.where(along == 0, u, v)))


def _honeycomb(u, v, phases):
    a, b = 0.9 * u, 0.9 * v
    high = math.sqrt(3)
    first = _fraction(a) - 0.5, (_fraction(b / high) - 0.5) * high
    second = _fraction(a + 0.5) - 0.5, (_fraction(b / high + 0.5) - 0.5) * high
    nearer = jnp.hypot(*first) < jnp.hypot(*second)
    x, y = (abs(jnp.where(nearer, p, q)) for p, q in zip(first, second, strict=True))
    return _soft(18.0, jnp.maximum(x, 0.5 * x + high / 2 * y) - 0.39)


def _wood(u, v, phases):
    bend = 0.55 * jnp.sin(0.23 * TURN * v + phases[0])
    bend += 0.35 * jnp.sin(0.31 * TURN * v + 0.17 * TURN * u + phases[1])
    grain = _soft(1.5, jnp.sin(TURN * (u + bend)))
    return 0.8 * grain + 0.2 * _soft(2.0, jnp.sin(2 * TURN * u))


def _plaid(u, v, phases):
    wide = 0.5 * _soft(4.0, jnp.sin(0.6 * TURN * u))
    wide += 0.35 * _soft(4.0, jnp.sin(0.6 * TURN * v))
    return wide + 0.15 * _soft(4.0, jnp.sin(1.8 * TURN * u + 0.3))


TEXTURES: dict[str, Texture] = {
    "stripes": _stripes,
    "checker": _checker,
    "dots": _dots,
    "net": _net,
    "bricks": _bricks,
    "zigzag": _zigzag,
    "scales": _scales,
    "mosaic": _mosaic,
    "camo": _camo,
    "pluses": _pluses,
    "bubbles": _bubbles,
    "sails": _sails,
    "weave": _weave,
    "honeycomb": _honeycomb,
    "wood": _wood,
    "plaid": _plaid,
}
