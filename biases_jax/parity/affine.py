"""How much of a difference do a scale and a shift explain?"""

import math

import numpy as np


def left(x: np.ndarray, y: np.ndarray, channel: np.ndarray) -> float:
    """Return the norm of y less the best scale and shift of x in each channel."""
    squares = 0.0
    for c in np.unique(channel):
        inputs, outputs = (z[:, channel == c].astype(np.float64) for z in (x, y))
        squares += fit(inputs, outputs)[2]
    return math.sqrt(squares)


def fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return scale, shift and the squares left over of y = scale * x + shift."""
    dx, dy = x - x.mean(), y - y.mean()
    variance = float((dx**2).sum())
    scale = float((dx * dy).sum()) / variance if variance else 0.0
    left = float(((dy - scale * dx) ** 2).sum())
    return scale, float(y.mean() - scale * x.mean()), left
