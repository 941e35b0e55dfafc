"""Is an image a function of its seed and index, and does it show what is said of it?"""

import functools

import jax
import numpy as np
import pytest

from biases_jax.miniature import classes, shapes, textures, visibility, world
from biases_jax.miniature.settings import STYLISED, TEST, Settings

SEED = 7
QUIET = TEST._replace(noise=0.0)


@functools.cache
def drawn(settings=TEST, count=64, side=224):
    return world.draw(SEED, np.arange(count), settings, side)


def test_an_image_depends_on_seed_and_index_only():
    wanted = [40, 3, 57]
    whole = drawn()
    for indices in (np.array(wanted), np.array([9, *wanted])):
        some = world.draw(SEED, indices, TEST).images[-3:]
        # Another place in the chunk may round the last bit of a value otherwise.
        difference = abs(some.astype(int) - whole.images[wanted])
        assert difference.max() <= 1 and np.mean(difference > 0) < 1e-3
    assert np.array_equal(whole.kinds, np.arange(64) % 16)
    other = world.draw(SEED + 1, np.arange(3), TEST).images
    assert np.mean(abs(other.astype(int) - whole.images[:3]) > 8) > 0.5
    assert len({image.tobytes() for image in whole.images}) == 64


def test_the_same_call_gives_the_same_bytes():
    again = world.draw(SEED, np.arange(64), TEST)
    assert np.array_equal(again.images, drawn().images)


def test_a_larger_picture_shows_more_around_the_same_middle():
    large, small = drawn(QUIET, 16, 256).images, drawn(QUIET, 16).images
    middle = large[:, 16:-16, 16:-16].astype(int)
    # Rounding in another program may move a value to the next of 255.
    difference = abs(middle - small)
    assert difference.max() <= 1 and np.mean(difference > 0) < 1e-3


def test_noise_has_the_stated_deviation():
    noisy, quiet = drawn(TEST, 16).images, drawn(QUIET, 16).images
    inside = (quiet > 50) & (quiet < 205)  # where nothing is clipped
    difference = (noisy.astype(float) - quiet)[inside] / 255
    assert difference.std() == pytest.approx(TEST.noise, rel=0.02)
    assert abs(difference.mean()) < 1e-4


def test_the_silhouette_is_where_the_object_is():
    """Another texture changes an image inside the object and nowhere else."""
    indices = np.arange(32)
    free = QUIET._replace(occluder=0.0)
    own = world.draw(SEED, indices, free)
    other = world.draw(SEED, indices, free, cues=(indices + 5) % 16)
    masks = visibility.seen(SEED, indices, indices % 16, free).silhouettes
    differ = np.any(own.images != other.images, axis=-1)
    assert not np.any(differ & (masks == 0))
    assert np.mean(differ[masks == 1]) > 0.3


def test_kinds_give_the_silhouette_and_cues_the_texture():
    indices = np.arange(16)
    kinds = np.full(16, 3)
    shapes = [
        visibility.seen(SEED, indices, k, TEST).silhouettes for k in (kinds, indices)
    ]
    assert np.array_equal(shapes[0][3], shapes[1][3])
    assert not np.array_equal(shapes[0][4], shapes[1][4])
    mixed = world.draw(SEED, indices, TEST, kinds=kinds, cues=indices)
    assert np.array_equal(mixed.kinds, kinds)
    plain = world.draw(SEED, indices, TEST, kinds=kinds)
    same = [
        np.array_equal(a, b) for a, b in zip(mixed.images, plain.images, strict=True)
    ]
    assert same == [i == 3 for i in range(16)]


def test_the_second_object_is_told_where_it_is_and_nowhere_else():
    with_second = QUIET._replace(second=0.5, occluder=0.0)
    without = QUIET._replace(second=0.0, occluder=0.0)
    some, none = drawn(with_second), drawn(without)
    assert np.all(none.second == -1)
    told = some.second >= 0
    assert 0.25 < told.mean() < 0.75
    changed = np.any(some.images != none.images, axis=(1, 2, 3))
    assert np.array_equal(told, changed)
    assert np.all(some.second[told] != some.kinds[told])
    seen = visibility.seen(SEED, np.arange(64), some.kinds, with_second)
    assert np.array_equal(seen.other, some.second)


def test_the_second_object_has_shape_and_texture_of_one_other_kind():
    """By the names that the table of kinds has, not by numbers."""
    indices = np.arange(64)
    # Compiled: one operation at a time takes half a minute.
    settings = Settings(*(np.float32(value) for value in TEST))
    arguments = np.uint32(SEED), indices, indices % 16, indices % 16, settings
    second = jax.device_get(jax.jit(world.scenes)(*arguments)).second
    told = drawn(QUIET._replace(second=1.0, occluder=0.0)).second
    pairs = {(kind.shape, kind.texture): i for i, kind in enumerate(classes.KINDS)}
    shown = [
        pairs[list(shapes.SHAPES)[shape], list(textures.TEXTURES)[texture]]
        for shape, texture in zip(second.kind, second.frame.kind, strict=True)
    ]
    assert shown == told.tolist()
    assert len(set(shown)) > 12  # of 16, in 64 draws


def test_the_small_one_of_two_objects_may_give_the_class():
    two = QUIET._replace(second=1.0, occluder=0.0)
    large = visibility.seen(SEED, np.arange(64), np.arange(64) % 16, two)
    small = visibility.seen(
        SEED, np.arange(64), np.arange(64) % 16, two._replace(minor=1.0)
    )
    assert np.array_equal(large.other, small.other)
    area = [found.silhouettes.mean((1, 2)) for found in (large, small)]
    assert np.all(area[1] < area[0])
    none = drawn(two._replace(second=0.0), 16).images
    only = drawn(two._replace(second=0.0, minor=1.0), 16).images
    assert np.array_equal(none, only)  # there is nothing to exchange with


def test_close_ups_are_texture_all_over():
    filled = drawn(QUIET._replace(close_up=1.0, occluder=0.0), 16).images
    other = QUIET._replace(close_up=1.0, occluder=0.0, plain=1.0, clutter=0.0)
    # What lies behind leaves the last bit of its value.
    assert abs(filled.astype(int) - drawn(other, 16).images).max() <= 1


def test_outlines_are_dark_on_light_and_lie_on_the_edge():
    pictures = drawn(QUIET._replace(outline=1.0), 32).images
    masks = visibility.seen(SEED, np.arange(32), np.arange(32) % 16, TEST).silhouettes
    paper = pictures.max(axis=(1, 2, 3))
    assert np.all(paper >= 0.75 * 255 - 1)
    line = pictures[..., 0] < paper[:, None, None] / 2
    edge = (masks > 0) & (masks < 1)
    assert np.mean(line[edge]) > 0.99
    assert 0.01 < line.mean() < 0.15


def test_neither_colour_nor_area_tells_the_class():
    """A linear probe on the mean and spread of the colours and the visible area.

    Chance is 1/16; 256 images are probed, four standard errors are 0.06.
    """
    count = 512
    images = drawn(STYLISED, count).images / 255
    kinds = np.arange(count) % 16
    seen = visibility.seen(SEED, np.arange(count), kinds, STYLISED)
    features = np.column_stack(
        [
            images.mean((1, 2)),
            images.std((1, 2)),
            seen.silhouettes.mean((1, 2)),
            np.ones(count),
        ]
    )
    half = (np.arange(count) // 16) % 2 == 0
    targets = np.eye(16)[kinds]
    weights = np.linalg.lstsq(features[half], targets[half], rcond=None)[0]
    predicted = (features[~half] @ weights).argmax(1)
    assert np.mean(predicted == kinds[~half]) < 1 / 16 + 0.06


def test_silhouettes_of_all_classes_are_equally_large():
    count = 1600
    kinds = np.arange(count) % 16
    seen = visibility.seen(SEED, np.arange(count), kinds, TEST)
    areas = [seen.silhouettes[kinds == kind].mean() for kind in range(16)]
    # What is cut off by the frame differs: long shapes reach further.
    assert max(areas) / min(areas) < 1.25
    assert len(classes.KINDS) == 16
