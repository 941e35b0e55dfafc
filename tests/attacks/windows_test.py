"""Are the windows of Square of the published sides, and where the draws put them?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.attacks import windows

SIDES = jax.jit(
    jax.vmap(windows.side, (0, None, None)), static_argnames=("first_share", "shape")
)


def sides(first_share, *shape):
    return np.asarray(SIDES(jnp.arange(12_000), first_share, (*shape, 3)))


def test_sides_at_224_pixels_are_the_published_ones():
    found = sides(0.8, 224, 224)
    starts = [0, 11, 51, 201, 501, 1001, 2001, 4001, 6001, 8001]
    published = [200, 142, 100, 71, 50, 35, 25, 18, 13, 9]
    np.testing.assert_array_equal(np.flatnonzero(np.diff(found, prepend=0)), starts)
    np.testing.assert_array_equal(found[starts], published)


@pytest.mark.parametrize(
    ("share", "shape", "first", "last"),
    [
        (1.0, (16, 16), 16, 1),  # the whole image
        (0.8, (4, 100), 4, 1),  # a root of 320 pixels would be higher than the image
        (0.8, (100, 4), 4, 1),
        (1e-9, (16, 16), 1, 1),
    ],
)
def test_sides_fit_into_the_image_and_are_at_least_1(share, shape, first, last):
    found = sides(share, *shape)
    assert found[0] == first and found[-1] == last
    assert (np.diff(found) <= 0).all()


def test_windows_are_where_the_draws_put_them():
    place = np.random.default_rng(0).uniform(size=(200, 2)).astype(np.float32)
    place[0], place[1] = 0, 1 - 2.0**-24  # the ends of what is drawn
    for side in (1, 5, 8):
        found = windows.inside(jnp.asarray(place), jnp.int32(side), (200, 8, 11, 3))
        expected = np.zeros((200, 8, 11, 1), bool)
        for window, (down, right) in zip(expected, place, strict=True):
            row, column = int(down * (8 - side)), int(right * (11 - side))
            window[row : row + side, column : column + side] = True
        np.testing.assert_array_equal(found, expected)
        assert (expected.sum((1, 2, 3)) == side**2).all()
        alone = windows.inside(jnp.asarray(place[5]), jnp.int32(side), (8, 11, 3))
        np.testing.assert_array_equal(alone, expected[5])


def test_windows_do_not_depend_on_the_precision_in_use():
    place = np.random.default_rng(1).uniform(size=(500, 2)).astype(np.float32)
    shape = (500, 24, 24, 3)
    expected = windows.inside(jnp.asarray(place), jnp.int32(7), shape)
    with jax.enable_x64(True):
        found = windows.inside(jnp.asarray(place), jnp.int32(7), shape)
    np.testing.assert_array_equal(found, expected)
