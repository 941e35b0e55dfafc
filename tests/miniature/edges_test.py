"""Are edges found where the gradient has its maxima, and nowhere else?"""

import math

import numpy as np
from scipy import ndimage

from biases_jax.miniature import edges

AXES = ((1, 0), (0, 1))


def test_edges_of_a_disc_are_one_thin_ring():
    x, y = np.meshgrid(np.arange(128.0) - 63.5, np.arange(128.0) - 63.5)
    radius = 40
    disc = np.clip(radius - np.hypot(x, y) + 0.5, 0, 1)
    found = edges.edges(0.2 + 0.6 * disc)
    distance = abs(np.hypot(x, y)[found] - radius)
    assert distance.max() < 1.5
    # A closed curve of diagonal and straight steps, one to two pixels thick.
    assert 0.9 * 2 * math.pi * radius < found.sum() < 2.2 * 2 * math.pi * radius
    angles = np.degrees(np.arctan2(y[found], x[found]))
    assert len(set(np.round(angles / 5))) >= 72  # no gap


def test_edges_are_followed_while_they_are_weak_and_faint_ones_are_left():
    image = np.full((64, 24), 0.5)
    image[:, 8:] += np.linspace(0.4, 0.2, 64)[:, None]  # fades downwards
    image[20:40, 18:20] += 0.03  # a faint stroke, joined to nothing
    found = edges.edges(image)
    assert found[:, 6:10].any(axis=1).all() and not found[:, 14:].any()
    # The lower end is below a strong edge's threshold: it is kept since it is joined.
    slope = np.hypot(*(ndimage.gaussian_filter(image, 2**0.5, order=o) for o in AXES))
    assert slope[-1].max() < np.quantile(slope, edges.SHARE)


def test_an_image_of_one_grey_has_no_edges():
    assert not edges.edges(np.full((32, 32), 0.3)).any()
