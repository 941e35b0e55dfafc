"""Is the paper's fit the paper's, and nothing where it means nothing?"""

import json
import math
import pathlib

import numpy as np
import pytest

from biases_jax.masking import gaussian

SHARED = (
    pathlib.Path(__file__).parents[2] / "../shared/data/golden_criticalband_fits.json"
)
GOLDEN = pathlib.Path(__file__).parents[1] / "golden/criticalband_fits.json"
FITS = json.loads(GOLDEN.read_text())["fits"]
FLAGS = {
    "amplitude_at_upper_bound": "amplitude at its bound",
    "sigma_wider_than_test_range": "wider than the tested bands",
    "negative_sigma": "negative width, taken as positive",
}
HUMAN = [0, 0, 0, 0, 2, 2, 0]


def fit(thresholds):
    return gaussian.fit_as_paper(np.array(thresholds, float))


def is_flat(recorded):
    return len(set(recorded["thresholds"])) == 1


@pytest.mark.parametrize(
    "recorded",
    [f for f in FITS if f["status"] == "ok" and not is_flat(f)],
    ids=lambda f: "".join(map(str, f["thresholds"])),
)
def test_recorded_fits_are_found(recorded):
    found = fit(recorded["thresholds"])
    assert not found.reason
    expected = {
        "bandwidth": abs(recorded["bw"]),  # the paper's may be negative
        "centre_frequency": recorded["cf"],
        "peak_noise_sensitivity": recorded["pns"],
    }
    for name, value in expected.items():
        # What optimisers that stop at 1e-8 leave open.
        np.testing.assert_allclose(found.numbers[name], value, rtol=1e-4)
    # As good; a perfect fit leaves a residual of the size of the tolerance.
    np.testing.assert_allclose(found.residual, recorded["rmse"], rtol=1e-4, atol=1e-3)
    for flag, remark in FLAGS.items():
        assert (remark in found.remarks) == (flag in recorded["flags"])
    # The record's flag leaves half an octave more.
    outside = not 0 <= recorded["mu"] <= 6
    assert ("centre outside the tested bands" in found.remarks) == outside


def test_the_kept_golden_is_the_shared_one():
    if not SHARED.exists():
        pytest.skip("the project's shared material is not beside the checkout")
    assert json.loads(GOLDEN.read_text()) == json.loads(SHARED.read_text())
    assert sum(f["status"] == "ok" and not is_flat(f) for f in FITS) == 41


@pytest.mark.parametrize("threshold", range(5))
def test_flat_thresholds_have_neither_centre_nor_width(threshold):
    found = fit([threshold] * 7)
    assert math.isnan(found.numbers["bandwidth"])
    assert math.isnan(found.numbers["centre_frequency"])
    assert found.reason.startswith("flat" if threshold else "no masking effect")
    sensitivity = found.numbers["peak_noise_sensitivity"]
    assert (
        math.isnan(sensitivity)
        if threshold == 0
        else sensitivity == 2 ** (threshold - 4)
    )
    assert ("amplitude at its bound" in found.remarks) == (threshold == 4)


def test_a_fit_that_does_not_converge_is_nan_with_the_optimisers_reason():
    failed = [f for f in FITS if f["status"].startswith("failed")]
    assert [f["thresholds"] for f in failed] == [[0, 0, 0, 4, 0, 0, 0]]
    found = fit(failed[0]["thresholds"])
    assert all(math.isnan(number) for number in found.numbers.values())
    assert math.isnan(found.residual)
    assert found.reason.startswith("the fit failed: Optimal parameters not found")


def test_people_have_a_band_of_one_octave():
    """The average of 14 observers (Subramanian et al. 2023)."""
    found = fit(HUMAN).numbers
    assert abs(found["bandwidth"] - 0.9999) < 5e-5
    assert abs(found["centre_frequency"] - 39.60) < 5e-3
    assert abs(found["peak_noise_sensitivity"] - 1) < 1e-6


def test_a_peak_of_one_band_tells_no_width():
    remark = "narrower than the bands are apart: no width determined"
    assert remark in fit([0, 0, 0, 0, 0, 1, 0]).remarks
    assert remark not in fit(HUMAN).remarks


def test_numbers_of_a_gaussian_are_its_closed_forms():
    found = gaussian.numbers(3.0, 2.0, 1.5)
    half = gaussian.gaussian(2 + found["bandwidth"] / 2, 3.0, 2.0, 1.5)
    np.testing.assert_allclose(half, 1.5, rtol=1e-14)  # half of the amplitude
    assert found["centre_frequency"] == 7.0  # the label of band 2
    assert found["peak_noise_sensitivity"] == 0.5
    many = gaussian.numbers(*np.array([[3.0, 4.0], [2.0, 3.0], [1.5, 1.0]]))
    assert many["centre_frequency"].tolist() == [7, 14]
