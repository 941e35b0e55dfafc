"""Which octave bands is a field made of? The Laplacian pyramid of Burt & Adelson 1983.

Level 0 is the finest. A step filters with the binomial kernel of five taps and drops
or inserts every second sample of both axes; the ends of the field are mirrored about
its outermost samples. As one matrix per axis and step, so that a pyramid is a few
matrix products. The paper's code takes this pyramid from pyrtools.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Float

KERNEL = np.array([1, 4, 6, 4, 1]) * math.sqrt(2) / 16  # pyrtools' binom5
LEVELS = 7  # of a field of 224 x 224: the last one is the low-pass residual
SMALLEST = 129  # samples; of fewer, the last step would halve fewer than five

Coefficients = tuple[Float[Array, "_h _w"], ...]


def analyse(field: Float[Array, "h w"]) -> Coefficients:
    """Return the coefficients of the levels, finest first: h x w, h/2 x w/2, ...

    The last level is the low-pass residual, the mean included; all fields that
    `synthesise` makes of them add up to `field`.
    Raises ValueError for a field of fewer than 129 rows or columns.
    """
    if min(field.shape) < SMALLEST:
        raise ValueError(
            f"got a field of {field.shape[0]} x {field.shape[1]}, expected at least "
            f"{SMALLEST} rows and columns: a pyramid of {LEVELS} levels needs them"
        )
    levels = []
    for _ in range(LEVELS - 1):
        coarse = _both_axes(down, field.shape, field)
        levels.append(field - _both_axes(up, field.shape, coarse))
        field = coarse
    return (*levels, field)


def synthesise(
    coefficients: Coefficients, level: int, shape: tuple[int, int]
) -> Float[Array, "h w"]:
    """Return the field of `shape` that has these coefficients in one level only."""
    if level == 0:
        return coefficients[0]
    return _both_axes(functools.partial(up_from, level), shape, coefficients[level])


def _both_axes(operator, shape, field):
    rows, columns = (jnp.asarray(operator(n), field.dtype) for n in shape)
    # The whole float32: accelerators would round the factors to fewer bits.
    product = functools.partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST)
    return product(product(rows, field), columns.T)


@functools.cache
def down(size: int) -> Float[np.ndarray, "half size"]:
    """Return the matrix that filters `size` samples and keeps 0, 2, 4, ..., float64."""
    return _filter(size)[::2]


@functools.cache
def up(size: int) -> Float[np.ndarray, "size half"]:
    """Return the matrix that inserts zeros up to `size` samples and filters, float64.

    The mirror is that of the signal with its zeros.
    """
    return _filter(size)[:, ::2]


@functools.cache
def up_from(level: int, size: int) -> Float[np.ndarray, "size coarse"]:
    """Return the product of the `level` >= 1 steps up to `size` samples, float64."""
    if level == 1:
        return up(size)
    return up(size) @ up_from(level - 1, (size + 1) // 2)


def _filter(size):
    """Return the matrix of the kernel's correlation with a mirrored signal."""
    matrix = np.zeros((size, size))
    samples = np.arange(size)
    reach = len(KERNEL) // 2
    for offset, weight in zip(range(-reach, reach + 1), KERNEL, strict=True):
        inside = np.abs(samples + offset)
        mirrored = np.where(inside < size, inside, 2 * (size - 1) - inside)
        np.add.at(matrix, (samples, mirrored), weight)
    return matrix
