"""Do images come out as blurred as the reference's, also where they are of one grey?"""

import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_blurs as reference

from biases_jax.corruptions.gaussian_blur import GaussianBlur

# float32 falls on the other side of a whole level at up to 3 in 100,000 values.
LIMIT = 1e-4


def no_draws(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("gaussian_blur", GaussianBlur, lambda *_: {}), LIMIT, "blurs")


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(GaussianBlur, reference.gaussian_blur, no_draws, LIMIT)


@pytest.mark.parametrize("image", checks.smooth_photographs(), ids=["sky", "retina"])
def test_faint_tails_tell_the_level_of_smooth_images(image):
    checks.statement(GaussianBlur, reference.gaussian_blur, no_draws, LIMIT, image)


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_what_is_faint_and_far_away_counts(severity):
    # Corners of filters have weights of 1e-10, which are above float64's rounding.
    image = np.full((64, 96, 3), 254, np.uint8)
    image[20:40, 30:60], image[50:, 80:] = 255, [3, 200, 91]
    expected = reference.gaussian_blur(image, severity)
    got = checks.run(GaussianBlur(severity), image, {})
    largest, share = golden.differences(got, expected)
    # What is of one grey near the border is left to SciPy's order of sums.
    assert largest <= 1 and share <= LIMIT


@pytest.mark.parametrize("severity", [1, 3, 5])
def test_one_grey_falls_short_of_its_level_where_the_references_does(severity):
    corruption = GaussianBlur(severity)
    for grey in (0, 1, 91, 121, 127, 128, 187, 200, 249, 254, 255):
        image = np.full((56, 64, 3), grey, np.uint8)
        expected = reference.gaussian_blur(image, severity)
        # Not at the border: SciPy's sums are of other order there.
        got = checks.run(corruption, image, {})
        np.testing.assert_array_equal(got[26:30, 26:38], expected[26:30, 26:38])


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(GaussianBlur(3))
