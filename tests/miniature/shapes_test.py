"""Are the sixteen silhouettes what is said of them?"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import ndimage

from biases_jax.miniature import picture, shapes

SIDE = 700  # points along a side: another grid than the one they were measured on
HALF = 1.6  # of the plane that is looked at


@pytest.fixture(params=list(shapes.SHAPES))
def name(request):
    return request.param


def plane():
    ticks = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * HALF
    x, y = np.meshgrid(ticks.astype(np.float32), ticks.astype(np.float32))
    return jnp.asarray(x), jnp.asarray(y)


def distance(name):
    return np.asarray(shapes.normalised(name)(*plane()))


def test_all_silhouettes_have_one_area_and_lie_about_the_origin(name):
    inside = distance(name) < 0
    x, y = map(np.asarray, plane())
    area = inside.mean() * (2 * HALF) ** 2
    # A cell of either grid is 0.005 wide; edges are up to 10 long.
    assert area == pytest.approx(shapes.AREA, rel=0.01)
    assert abs(x[inside].mean()) < 0.005 and abs(y[inside].mean()) < 0.005


def test_silhouettes_are_in_one_piece_but_for_the_holes(name):
    pieces = ndimage.label(distance(name) < 0)[0]
    largest = np.bincount(pieces[pieces > 0]).max()
    assert largest > 0.999 * (pieces > 0).sum()  # the grid may break off a tip
    holes = ndimage.label(distance(name) > 0)[1] - 1
    assert holes == (1 if name in ("ring", "key") else 0)


def test_outlines_run_along_edges_only(name):
    found = distance(name)
    line = (abs(found) < picture.LINE / 2) & (found < 0)
    cell = 2 * HALF / SIDE
    # The distance may be wrong by a factor of two near the tips.
    to_the_outside = ndimage.distance_transform_edt(found < 0) * cell
    assert line.any() and to_the_outside[line].max() < 2 * picture.LINE


def test_the_distance_is_about_one(name):
    found = distance(name)
    slope = np.hypot(*np.gradient(found, 2 * HALF / SIDE))
    near = abs(found) < 0.05  # where edges are antialiased and outlines are drawn
    assert 0.5 < np.median(slope[near]) < 1.5


def test_no_two_silhouettes_are_alike_in_any_quarter_turn_or_mirror_image():
    masks = [distance(name) < 0 for name in shapes.SHAPES]
    for number, first in enumerate(masks):
        turned = [np.rot90(m, k) for m in (first, first[:, ::-1]) for k in range(4)]
        for second in masks[number + 1 :]:
            overlap = max((t & second).sum() / (t | second).sum() for t in turned)
            assert overlap < 0.9
