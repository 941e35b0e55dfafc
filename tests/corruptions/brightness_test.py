"""Does the value rise and the hue stay, as in the reference?"""

import numpy as np
from corruptions import checks
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.brightness import Brightness

# Where the reference's float64 falls short of a whole level: 0.4 % at most of the
# goldens.
LIMIT = 1e-2


def none(*_):
    return {}


def nothing(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("brightness", Brightness, none), LIMIT)


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(Brightness, reference.brightness, nothing, LIMIT)


def test_all_greys_come_out_as_stated_in_float64():
    greys = np.repeat(np.arange(256, dtype=np.uint8).reshape(16, 16, 1), 3, 2)
    checks.statement(Brightness, reference.brightness, nothing, 0.0, greys)


def test_what_differs_are_whole_levels_only():
    image = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    for severity in checks.SEVERITIES:
        value = image.max(2, keepdims=True).astype(float)
        exact = image / value * np.minimum(value + 25.5 * severity, 255)
        got = checks.run(Brightness(severity), image, {})
        whole = np.abs(exact - np.round(exact)) < 1e-9
        expected = np.floor(exact + 1e-9)
        np.testing.assert_array_equal(got[~whole], expected[~whole])
        assert set(np.unique((expected - got)[whole])) <= {0, 1}


def test_black_becomes_grey_and_hues_stay():
    image = np.array([[[0, 0, 0], [100, 50, 0]]], np.uint8)
    found = checks.run(Brightness(4), image, {})
    assert found.tolist() == [[[102, 102, 102], [202, 101, 0]]]


def test_the_same_bytes_come_in_any_batch():
    checks.same_bytes(Brightness(3))
