"""In which ways can a convolution with torch's padding be computed?

All take images [n, h, w, c] and a kernel [k, k, c, o] with k odd, pad (k - 1) / 2 on
every side, and give the same numbers up to rounding.
"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from biases_jax.types import Array, Float

Images = Float[Array, "n h w c"]
Outputs = Float[Array, "n p q o"]
Kernel = Float[Array, "k k c o"]
Form = Callable[[Images, Kernel, int, lax.Precision], Outputs]

DIMENSIONS = ("NHWC", "HWIO", "NHWC")


def direct(x: Images, kernel: Kernel, stride: int, precision: lax.Precision) -> Outputs:
    """Return XLA's own convolution.

    The padding is torch's. 'SAME' is not: with stride 2 it pads even sizes less at
    the top and left than at the bottom and right.
    """
    pad = kernel.shape[0] // 2
    return lax.conv_general_dilated(
        x,
        kernel,
        window_strides=(stride, stride),
        padding=((pad, pad), (pad, pad)),
        dimension_numbers=DIMENSIONS,
        precision=precision,
    )


def by_product(
    x: Images, kernel: Float[Array, "1 1 c o"], stride: int, precision: lax.Precision
) -> Outputs:
    """Return a 1x1 convolution as one matrix product over the pixels it looks at."""
    seen = lax.slice(x, (0, 0, 0, 0), x.shape, (1, stride, stride, 1))
    return jnp.dot(seen, kernel[0, 0], precision=precision)


def by_columns(
    x: Images, kernel: Kernel, stride: int, precision: lax.Precision
) -> Outputs:
    """Return one matrix product over gathered neighbourhoods of k * k * c numbers."""
    size, _, channels, outputs = kernel.shape
    pad = size // 2
    padded = jnp.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    # The last row and column that the kernel's first element falls on.
    bottom = (x.shape[1] - 1) // stride * stride
    right = (x.shape[2] - 1) // stride * stride
    columns = [
        lax.slice(
            padded,
            (0, i, j, 0),
            (x.shape[0], i + bottom + 1, j + right + 1, channels),
            (1, stride, stride, 1),
        )
        for i in range(size)
        for j in range(size)
    ]
    matrix = kernel.reshape(size * size * channels, outputs)
    return jnp.dot(jnp.concatenate(columns, axis=-1), matrix, precision=precision)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def canonical(
    x: Images, kernel: Kernel, stride: int, precision: lax.Precision
) -> Outputs:
    """Return XLA's convolution with gradients that stay fast inside loops on a CPU.

    Automatic differentiation leaves kernels with swapped axes. XLA puts them right at
    the top level but not in the body of a loop, where its CPU code then takes a path
    that makes the whole input gradient of ResNet-50 1.7 times slower (jax 0.10).
    Reverse mode only (no jvp).
    """
    return direct(x, kernel, stride, precision)


def _forward(x, kernel, stride, precision):
    return canonical(x, kernel, stride, precision), (x, kernel)


def _backward(stride, precision, residuals, gradient):
    x, kernel = residuals
    to_x = _input_gradient(gradient, kernel, stride, precision, x.shape)
    _, kernel_gradient = jax.vjp(lambda k: by_columns(x, k, stride, precision), kernel)
    return to_x, *kernel_gradient(gradient)


canonical.defvjp(_forward, _backward)


def _input_gradient(gradient, kernel, stride, precision, shape):
    """Convolve the spread-out gradient with the flipped kernel."""
    size = kernel.shape[0]
    before = size // 2  # size - 1 - pad, where pad = size // 2 and size is odd
    spread = [(n - 1) * stride + 1 for n in gradient.shape[1:3]]
    padding = [
        (before, n + size - 1 - s - before)
        for n, s in zip(shape[1:3], spread, strict=True)
    ]
    return lax.conv_general_dilated(
        gradient,
        jnp.flip(kernel, (0, 1)).swapaxes(2, 3),
        window_strides=(1, 1),
        padding=padding,
        lhs_dilation=(stride, stride),
        dimension_numbers=DIMENSIONS,
        precision=precision,
    )
