"""Does the saturation change and the hue stay, as in the reference?"""

import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_pointwise as reference

from biases_jax.corruptions import saturate
from biases_jax.corruptions.saturate import Saturate

# Where the reference's float64 falls short of a whole level, to which severity 3 brings
# half of the middle channels: 1 % at most of the goldens, severity 3 6.9 %.
LIMITS = {1: 2e-2, 2: 2e-2, 3: 0.1, 4: 2e-2, 5: 2e-2}


def none(*_):
    return {}


@pytest.mark.parametrize("severity", checks.SEVERITIES)
def test_outputs_are_the_references(severity):
    only = [
        case for case in golden.cases("pointwise", "saturate") if case[1] == severity
    ]
    assert only
    for image, _ in only:
        name = golden.key("saturate", image, severity)
        got = checks.run(Saturate(severity), golden.image(image), {})
        kept = golden.extract("pointwise")[name]
        largest, share = golden.differences(golden.thinned(got), kept)
        assert largest <= 1 and share <= LIMITS[severity]


@pytest.mark.parametrize("severity", checks.SEVERITIES)
def test_other_images_come_out_as_stated_in_float64(severity):
    got = checks.run(Saturate(severity), checks.photograph(), {})
    expected = reference.saturate(checks.photograph(), severity)
    largest, share = golden.differences(got, expected)
    assert largest <= 1 and share <= LIMITS[severity]


def test_what_differs_are_whole_levels_of_middle_channels():
    image = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    image[:, ::2] = image[:, ::2] // 2 + 100  # less saturated
    value = image.max(2, keepdims=True).astype(float)
    least = image.min(2, keepdims=True)
    span = np.maximum(value - least, 1)
    for severity in checks.SEVERITIES:
        factor, added = saturate.CHANGES[severity - 1]
        wanted = np.minimum(factor * (value - least) + added * value, value)
        exact = value - (value - image) * wanted / span
        whole = np.abs(exact - np.round(exact)) < 1e-9
        got = checks.run(Saturate(severity), image, {})
        apart = got.astype(int) - reference.saturate(image, severity)
        middle = (image > least) & (image < value)
        assert set(np.unique(apart)) <= {0, 1}
        assert not apart[~(whole & middle)].any()


def test_grey_counts_as_red():
    image = np.full((1, 2, 3), 77, np.uint8)
    assert checks.run(Saturate(5), image, {})[0, 0].tolist() == [77, 61, 61]
    assert checks.run(Saturate(3), image, {})[0, 0].tolist() == [77, 77, 77]


def test_the_same_bytes_come_in_any_batch():
    checks.same_bytes(Saturate(3))
