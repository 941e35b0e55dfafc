"""How far is each pixel from the nearest edge, in steps on the grid?"""

import itertools

import jax
import jax.numpy as jnp

from biases_jax.types import Array, Bool, Int

SCALE = 2**16  # parts of a pixel, in which OpenCV counts
FURTHEST = 20  # pixels; what is further counts as this far
# Steps to a neighbour, across a corner, and a knight's of chess: Borgefors (1986), with
# the lengths of OpenCV, rounded to parts: 1, 1.4, 2.1969 pixels.
LENGTHS = {1: SCALE, 2: 91750, 5: 143976}  # by the square of their true length
# Each step, so many times at once, in turn: any path of up to 20 steps of two kinds is
# a sum of some of these, and the nearest edge is reached by two kinds.
STRIDES = (8, 8, 4, 4, 2, 2, 1, 1)


def distances(edges: Bool[Array, "h w"]) -> Int[Array, "h w"]:
    """Return the distances, at most 20 pixels, in 65536ths of a pixel. Exact."""
    height, width = edges.shape
    # In one long row, which is fast (`neighbourhoods`); so far apart that no path from
    # the end of one row to the beginning of the next counts.
    stride = width + FURTHEST
    furthest = FURTHEST * SCALE
    plane = jnp.pad(jnp.where(edges, 0, furthest), ((0, 0), (0, FURTHEST)))
    inside = jnp.arange(stride) < width
    row = jnp.where(inside[None], plane, furthest).ravel()
    for times in STRIDES:
        row = _relaxed(row, stride, times)
    return row.reshape(height, stride)[:, :width]


def _relaxed(row, stride, times):
    """Return the distances where any one step, so many times, may come first."""
    margin = 2 * times * (stride + 1)
    padded = jnp.pad(row, margin, constant_values=FURTHEST * SCALE)
    padded = jax.lax.optimization_barrier(padded)
    nearest = padded[margin : margin + len(row)]
    for down, right in itertools.product(range(-2, 3), repeat=2):
        length = LENGTHS.get(down**2 + right**2)
        if length is not None:
            start = margin + times * (down * stride + right)
            there = padded[start : start + len(row)]
            nearest = jnp.minimum(nearest, there + times * length)
    return nearest
