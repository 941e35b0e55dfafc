"""The step onto a hyperplane within the box by sorting, one example at a time."""

import numpy as np


def step(point, normal, gap, norm):
    """Return, in float64, what `hyperplane.step` gives of one example.

    Pixel by pixel the next to reach its face, until the rest can close the gap.
    """
    point, normal = (np.asarray(x, np.float64) for x in (point, normal))
    direction = -np.sign(normal) * np.sign(gap)
    room = np.where(direction > 0, 1 - point, point) * (direction != 0)
    speed = {"linf": np.abs(np.sign(normal)), "l2": np.abs(normal)}[norm]
    moving = (speed > 0).ravel()
    arrival = np.full(moving.shape, np.inf)
    arrival[moving] = room.ravel()[moving] / speed.ravel()[moving]
    weight, pace = np.abs(normal).ravel(), (np.abs(normal) * speed).ravel()
    order = np.argsort(arrival)[: moving.sum()]
    closed_before = np.cumsum(weight[order] * room.ravel()[order])
    pace_left = np.cumsum(pace[order][::-1])[::-1]
    for k, pixel in enumerate(order):
        closed = closed_before[k - 1] if k else 0.0
        if closed + arrival[pixel] * pace_left[k] >= abs(gap):
            time = (abs(gap) - closed) / pace_left[k]
            return direction * np.minimum(time * speed, room)
    return direction * room
