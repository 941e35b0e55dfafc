"""How does JPEG's integer cosine transform go, to the last bit?

The transform of Loeffler, Ligtenberg and Moschytz (1989) with 13 bits after the point,
as libjpeg has it ("slow integer"), which decides how each step is rounded. Arrays are
int32; an axis of 8 is a block's side, and all others are alike.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from biases_jax.types import Array, Int

Parts = list[Int[Array, "..."]]


def forward(samples: Int[Array, "..."], rows: int, columns: int) -> Int[Array, "..."]:
    """Return eight times the orthonormal cosine transform of blocks.

    The samples are centred: -128 to 127. `rows` and `columns` are the axes, not
    negative, along which a block's row and column numbers go.
    """
    even, odd = _analysed(_parts(samples, columns))
    even[0], even[2] = even[0] << 2, even[2] << 2
    even[1], even[3] = _rounded(even[1], 11), _rounded(even[3], 11)
    half = _joined(even, [_rounded(part, 11) for part in odd], columns)
    even, odd = _analysed(_parts(half, rows))
    even[0], even[2] = _rounded(even[0], 2), _rounded(even[2], 2)
    even[1], even[3] = _rounded(even[1], 15), _rounded(even[3], 15)
    return _joined(even, [_rounded(part, 15) for part in odd], rows)


def inverse(
    coefficients: Int[Array, "..."], rows: int, columns: int
) -> Int[Array, "..."]:
    """Return the samples, centred, of a block's coefficients (here not eightfold)."""
    half = _synthesised(_parts(coefficients, rows), 11)
    half = jnp.stack(half, rows)
    return jnp.stack(_synthesised(_parts(half, columns), 18), columns)


def _parts(array: Int[Array, "..."], axis: int) -> Parts:
    return [lax.index_in_dim(array, at, axis, keepdims=False) for at in range(8)]


def _joined(even: Parts, odd: Parts, axis: int) -> Int[Array, "..."]:
    alternating = [part for pair in zip(even, odd, strict=True) for part in pair]
    return jnp.stack(alternating, axis)


def _rounded(value: Int[Array, "..."], bits: int) -> Int[Array, "..."]:
    return (value + np.int32(1 << (bits - 1))) >> bits


def _analysed(v: Parts) -> tuple[Parts, Parts]:
    """Return the even and the odd coefficients; all but 0 and 4 have 13 bits more."""
    s0, s1, s2, s3 = v[0] + v[7], v[1] + v[6], v[2] + v[5], v[3] + v[4]
    d0, d1, d2, d3 = v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4]
    e0, e1, e2, e3 = s0 + s3, s1 + s2, s1 - s2, s0 - s3
    middle = 4433 * (e2 + e3)
    even = [e0 + e1, middle + 6270 * e3, e0 - e1, middle - 15137 * e2]
    return even, _rotated(d3, d2, d1, d0)[::-1]


def _rotated(t0: Array, t1: Array, t2: Array, t3: Array) -> Parts:
    """Return the odd half of either transform, of its four inputs."""
    z = 9633 * (t0 + t2 + t1 + t3)
    a, b = -7373 * (t0 + t3), -20995 * (t1 + t2)
    c, d = z - 16069 * (t0 + t2), z - 3196 * (t1 + t3)
    return [
        2446 * t0 + a + c,
        16819 * t1 + b + d,
        25172 * t2 + b + c,
        12299 * t3 + a + d,
    ]


def _synthesised(w: Parts, bits: int) -> Parts:
    """Return the eight samples of a row or column, without the last `bits` bits."""
    middle = 4433 * (w[2] + w[6])
    p, r = middle - 15137 * w[6], middle + 6270 * w[2]
    f, h = (w[0] + w[4]) << 13, (w[0] - w[4]) << 13
    even = [f + r, h + p, h - p, f - r]
    odd = _rotated(w[7], w[5], w[3], w[1])[::-1]
    first = [_rounded(e + o, bits) for e, o in zip(even, odd, strict=True)]
    last = [_rounded(e - o, bits) for e, o in zip(even, odd, strict=True)]
    return first + last[::-1]
