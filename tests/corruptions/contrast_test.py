"""Does each channel come closer to its mean, exactly as in the reference?"""

import numpy as np
from corruptions import checks, golden
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.contrast import Contrast


def none(*_):
    return {}


def nothing(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("contrast", Contrast, none), 0.0)


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(Contrast, reference.contrast, nothing)


def test_white_images_of_many_pixels_do_not_overflow():
    # The product of mean and pixels is beyond 2^31 here.
    image = np.full((700, 900, 3), 255, np.uint8)
    image[:, ::2, 1] = 253
    for severity in checks.SEVERITIES:
        got = checks.run(Contrast(severity), image, {})
        expected = reference.contrast(image, severity)
        # One value only in a channel: float64's mean may fall short of a whole level.
        assert golden.differences(got, expected)[0] <= 1
        np.testing.assert_array_equal(got[..., 1], expected[..., 1])


def test_the_same_bytes_come_in_any_batch():
    checks.same_bytes(Contrast(3))
