"""Are images moved along the references' lines, and rounded as each of them does?"""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_blurs as reference

from biases_jax.corruptions.motion_blur import MotionBlur, steps

# float32 falls on the other side of a whole level, or of a 257th, at 1 in 100,000.
LIMIT = 1e-4


def recorded(image, severity, shape):
    angle = golden.random_state(image, severity).uniform(-45, 45)
    name = golden.key("motion_angle", image, severity)
    assert golden.extract("blurs").get(name, angle) == angle
    return {"angle": np.float32(angle)}


def random(severity, shape):
    angle = np.float32([-44, -20.5, 0, 13, 44.9][severity - 1])
    return {"angle": angle}, {"angle": angle}


@pytest.mark.parametrize(
    ("prefix", "flavour"), [("", "imagecorruptions"), ("original", "original")]
)
def test_recorded_angles_give_the_references_outputs(prefix, flavour):
    make = functools.partial(MotionBlur, flavour=flavour)
    checks.goldens(("motion_blur", make, recorded), LIMIT, "blurs", prefix)


@pytest.mark.parametrize("flavour", ["original", "imagecorruptions"])
def test_other_images_come_out_as_stated_in_float64(flavour):
    make = functools.partial(MotionBlur, flavour=flavour)
    stated = functools.partial(reference.motion_blur, flavour=flavour)
    checks.statement(make, stated, random, LIMIT)


def test_the_faint_ends_of_lines_count():
    # They take from white, by the weights' tail of 1e-9, what is left of its level.
    image = np.full((64, 96, 3), 255, np.uint8)
    image[:, 48:64], image[24:40] = 0, [90, 200, 30]
    for flavour in ("original", "imagecorruptions"):
        make = functools.partial(MotionBlur, flavour=flavour)
        stated = functools.partial(reference.motion_blur, flavour=flavour)
        checks.statement(make, stated, random, LIMIT, image)


def test_fresh_angles_have_the_recorded_statistics():
    make = functools.partial(MotionBlur, flavour="imagecorruptions")
    checks.fresh(make, "motion_blur", 16)


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(MotionBlur(3))


def test_lines_half_way_between_pixels_take_the_nearer_to_the_first():
    down, right = steps(jnp.float32(30), 4)
    np.testing.assert_array_equal(down, [0, 0, 1, 1])
    np.testing.assert_array_equal(right, [0, 1, 2, 3])


def test_flavours_are_two():
    with pytest.raises(ValueError, match="expected one of"):
        MotionBlur(3, flavour="tfds")
