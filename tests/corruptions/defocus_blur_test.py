"""Is the lens the reference's, with its discs that are too bright?"""

import numpy as np
import pytest
from corruptions import checks
from corruptions import reference_blurs as reference

from biases_jax.corruptions.defocus_blur import (
    RADII_AND_DEVIATIONS,
    DefocusBlur,
    kernel,
)

# float32 falls on the other side of a whole level at about 3 in 100,000 values.
LIMIT = 1e-4
TOTALS = (0.99999999627, 0.9999999658, 0.9999999936, 1.012975, 1.010786)


def test_discs_sum_to_what_the_references_do():
    totals = [kernel(*disc).sum(dtype=float) for disc in RADII_AND_DEVIATIONS]
    np.testing.assert_allclose(totals[:3], TOTALS[:3], rtol=0, atol=1e-10)
    np.testing.assert_allclose(totals[3:], TOTALS[3:], rtol=0, atol=1e-6)


def no_draws(severity, shape):
    return {}, {}


def test_outputs_are_the_references():
    checks.goldens(("defocus_blur", DefocusBlur, lambda *_: {}), LIMIT, "blurs")


def test_severity_1_is_exact():
    got = checks.run(DefocusBlur(1), checks.photograph(), {})
    expected = reference.defocus_blur(checks.photograph(), 1)
    np.testing.assert_array_equal(got, expected)


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(DefocusBlur, reference.defocus_blur, no_draws, 3e-4)


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_one_grey_gets_darker_or_brighter(severity):
    image = np.full((45, 64, 3), 100, np.uint8)
    got = checks.run(DefocusBlur(severity), image, {})
    np.testing.assert_array_equal(got, 99 if severity <= 3 else 101)


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(DefocusBlur(3))
