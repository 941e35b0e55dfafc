"""What is a Gaussian filter, cut off and continued at the border, as a matrix?

For `separable.mapped`. The borders have the names of `numpy.pad`: "edge" repeats the
outermost value, "symmetric" mirrors with it (d c b a | a b c d), "reflect" without it
(d c b | a b c d). Filters longer than the image are folded as often as needed.
"""

import functools
import math

import numpy as np

from biases_jax.types import Float


def taps(deviation: float, truncate: float = 4.0) -> Float[np.ndarray, " taps"]:
    """Return the weights, float64 of sum 1, of a Gaussian cut off on both sides.

    Args:
        deviation: standard deviation in pixels.
        truncate: where it is cut off, in standard deviations; rounded to whole pixels.
    """
    radius = math.floor(truncate * deviation + 0.5)
    weights = np.exp(-(np.arange(-radius, radius + 1.0) ** 2) / (2 * deviation**2))
    return weights / weights.sum()


@functools.cache
def matrix(
    size: int, deviation: float, border: str = "edge", truncate: float = 4.0
) -> Float[np.ndarray, "size size"]:
    """Return the filter of an axis of this size, float32 made in float64."""
    found = banded(size, taps(deviation, truncate), border)
    found.setflags(write=False)
    return found


@functools.cache
def change(size: int, deviation: float) -> Float[np.ndarray, "size size"]:
    """Return the filter less the identity, border "edge", as a map of an axis's steps.

    For `separable.changes`: of the steps from the value before, that of the first
    being 0. Weights of steps are sums of taps from the far end on, float32 made in
    float64, so that the least of them is as precise as the greatest.
    """
    exact = _spread(size, taps(deviation), "edge")
    upward = np.cumsum(exact[:, ::-1], axis=1)[:, ::-1]  # of this input and later ones
    downward = np.cumsum(exact, axis=1) - exact  # of earlier ones
    outputs, inputs = np.indices(exact.shape)
    found = np.where(inputs > outputs, upward, -downward).astype(np.float32)
    found.setflags(write=False)
    return found


def banded(
    size: int, weights: Float[np.ndarray, " taps"], border: str
) -> Float[np.ndarray, "size size"]:
    """Return the matrix, float32, that correlates an axis with an odd count of weights.

    Outputs lie at the middle weight.
    """
    return _spread(size, weights, border).astype(np.float32)


def _spread(size, weights, border):
    """Return the matrix in float64."""
    places = np.pad(np.arange(size), len(weights) // 2, border)
    sources = np.lib.stride_tricks.sliding_window_view(places, len(weights))
    found = np.zeros((size, size))
    np.add.at(found, (np.arange(size)[:, None], sources), weights)
    return found
