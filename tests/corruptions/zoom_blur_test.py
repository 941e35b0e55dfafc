"""Are images enlarged and averaged as the reference has it?"""

import numpy as np
from corruptions import checks
from corruptions import reference_blurs as reference

from biases_jax.corruptions import zoom
from biases_jax.corruptions.zoom_blur import FACTORS, ZoomBlur

# float32 falls on the other side of a whole level at about 3 in 100,000 values.
LIMIT = 1e-4


def test_factors_are_as_many_as_the_references():
    assert [len(factors) for factors in FACTORS] == [12, 16, 11, 13, 11]


def no_draws(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("zoom_blur", ZoomBlur, lambda *_: {}), LIMIT, "blurs")


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(ZoomBlur, reference.zoom_blur, no_draws, 3e-4)


def test_one_grey_falls_short_of_its_level_where_the_references_does():
    for grey in (0, 57, 91, 128, 179, 246, 254, 255):
        image = np.full((40, 50, 3), grey, np.uint8)
        expected = reference.zoom_blur(image, 2)
        np.testing.assert_array_equal(checks.run(ZoomBlur(2), image, {}), expected)


def test_sides_are_those_of_the_specified_table():
    for factor, points in (
        (1.0, 224),
        (1.03, 225),
        (1.13, 225),
        (1.2, 224),
        (2.5, 225),
    ):
        assert len(zoom.axis(224, factor).low) == points


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(ZoomBlur(3))
