"""Do scenes vary as their settings say?"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.miniature import classes, sampling, world
from biases_jax.miniature.settings import STYLISED, TEST, TRAINING, Settings
from biases_jax.miniature.uniforms import Uniforms

COUNT = 4096


@functools.cache
def program():
    return jax.jit(world.scenes)


@functools.cache
def scenes(settings):
    indices = np.arange(COUNT, dtype=np.int32)
    values = Settings(*(np.float32(value) for value in settings))
    drawn = program()(np.uint32(5), indices, indices % 16, indices % 16, values)
    return jax.device_get(drawn)


def luminance(colours):
    return np.asarray(colours) @ np.array(sampling.LUMA)


def share(found, expected):
    """Hold a share against its chance; five standard errors of 4096 draws."""
    error = max(np.sqrt(expected * (1 - expected) / COUNT), 1e-9)
    assert np.mean(found) == pytest.approx(expected, abs=5 * error)


@pytest.mark.parametrize("settings", [TEST, TRAINING, STYLISED])
def test_poses_fill_their_ranges_and_keep_to_them(settings):
    pose = scenes(settings).thing.pose
    for values, spread in (
        (pose.shift, settings.shift),
        (pose.thickness, settings.thickness),
    ):
        assert np.abs(values).max() <= spread
        assert np.abs(values).max() > 0.98 * spread
        assert np.abs(values.mean()) < 0.05 * spread
    assert pose.scale.min() >= settings.smallest - 1e-6
    assert pose.scale.max() <= settings.largest + 1e-6
    middle = np.sqrt(settings.smallest * settings.largest)
    assert np.median(pose.scale) == pytest.approx(middle, rel=0.02)


def test_a_pose_neither_shrinks_nor_grows_by_aspect_and_shear():
    pose = scenes(TEST).thing.pose
    area = 1 / abs(np.linalg.det(pose.inverse))
    assert np.allclose(area, pose.scale**2, rtol=1e-4)
    share(np.linalg.det(pose.inverse) < 0, 0.5)  # mirrored


def test_the_textures_colours_differ_in_luminance_as_stated():
    colours = scenes(TEST).thing.colours
    gap = abs(np.diff(luminance(colours), axis=1))
    assert gap.min() >= TEST.contrast_low - 1e-5
    assert gap.max() <= TEST.contrast_high + 1e-5
    share(luminance(colours)[:, 0] < luminance(colours)[:, 1], 0.5)
    chroma = colours - luminance(colours)[..., None]
    assert np.linalg.norm(chroma, axis=-1).max() > 0.9 * TEST.chroma


def test_hues_have_no_luminance_and_unit_length():
    hues = sampling._HUES
    assert np.allclose(hues @ np.array(sampling.LUMA), 0, atol=1e-7)
    assert np.allclose(hues @ hues.T, np.eye(2), atol=1e-6)


@pytest.mark.parametrize("contrast", [0.35, 0.5, 0.9])
def test_flat_objects_are_apart_from_their_ground_where_there_is_room(contrast):
    drawn = scenes(TEST._replace(flat=1.0, ground_contrast=contrast))
    assert np.all(drawn.thing.frame.kind == sampling.FLAT)
    first, second = luminance(drawn.thing.colours).T
    assert np.allclose(first, second)
    below, above = np.sort(luminance(drawn.ground.colours), axis=1).T
    gap = np.maximum(below - first, first - above)
    wanted = sampling.LOWEST_GAP
    room = (below >= wanted) | (above <= 1 - wanted)
    assert gap[room].min() > wanted - 1e-5
    # Without room at all: the end of the range that is further away, or the other one.
    assert np.all((first[~room] < 1e-5) | (first[~room] > 1 - 1e-5))


def test_chances_are_the_shares_of_scenes():
    settings = TEST._replace(
        flat=0.3, close_up=0.2, second=0.125, plain=0.4, minor=0.25
    )
    drawn = scenes(settings)
    small = np.isclose(drawn.thing.pose.scale, sampling.SECOND)
    share(small[drawn.has_second], 0.25)
    assert not np.any(small[~drawn.has_second])
    share(drawn.thing.frame.kind == sampling.FLAT, 0.3)
    share(drawn.close_up, 0.2)
    share(drawn.has_second, 0.125)
    share(np.all(drawn.ground.colours[:, 0] == drawn.ground.colours[:, 1], 1), 0.4)
    share(drawn.clutter.opacity[:, -1] > 0, settings.occluder)
    share(drawn.clutter.opacity[:, 0] > 0, settings.clutter)
    share(drawn.ground.weight > 0, settings.ground_texture)


def test_textures_are_the_classes_own_or_any():
    indices = np.arange(COUNT) % 16
    own = classes.TEXTURES[indices]
    assert np.array_equal(scenes(TEST).thing.frame.kind, own)
    foreign = scenes(STYLISED._replace(flat=0.0)).thing.frame.kind
    share(foreign == own, 1 / 16)
    shares = np.bincount(foreign, minlength=16) / COUNT
    # Five standard errors; one in 16 each.
    assert np.all(abs(shares - 1 / 16) < 5 * np.sqrt(1 / 16 * 15 / 16 / COUNT))


def test_a_second_object_is_another_small_one_in_a_free_corner():
    drawn = scenes(TEST._replace(second=1.0))
    assert np.all(drawn.second.kind != drawn.thing.kind)
    kinds = [classes.KIND_OF_SHAPE[t.kind] for t in (drawn.thing, drawn.second)]
    steps = np.bincount((kinds[1] - kinds[0]) % 16, minlength=16) / COUNT
    # One in 15 each; five standard errors.
    assert np.all(abs(steps[1:] - 1 / 15) < 5 * np.sqrt(1 / 15 / COUNT))
    place = drawn.second.pose.shift
    assert np.all(np.sign(place) != np.sign(drawn.thing.pose.shift))
    assert np.all((abs(place) > 0.6) & (abs(place) < 0.75))
    area = 1 / abs(np.linalg.det(drawn.second.pose.inverse))
    assert np.allclose(area, sampling.SECOND**2, rtol=1e-4)


def test_settings_change_only_what_they_name():
    first, second = scenes(TEST), scenes(TEST._replace(noise=0.0, occluder=1.0))
    assert np.array_equal(first.thing.pose.inverse, second.thing.pose.inverse)
    assert np.array_equal(first.ground.colours, second.ground.colours)
    assert np.array_equal(first.clutter.place, second.clutter.place)
    assert np.all(second.clutter.opacity[:, -1] == 1)


def test_uniforms_are_handed_out_once_and_run_out():
    take = Uniforms(jax.random.key(0), 4)
    first, second = take.between(0.0, 1.0), take.between(0.0, 1.0, 2)
    assert not jnp.isin(first, second)
    with pytest.raises(
        ValueError, match="scene of 5 numbers or more, expected at most 4"
    ):
        take.between(0.0, 1.0, 2)


def test_whole_numbers_are_below_their_bound():
    found = jax.vmap(lambda key: Uniforms(key, 1).below(16))(
        jax.random.split(jax.random.key(1), COUNT)
    )
    assert found.min() == 0 and found.max() == 15
