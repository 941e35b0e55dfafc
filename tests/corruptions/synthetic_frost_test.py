"""Have the synthetic textures the statistics that are stated?"""

import itertools

import numpy as np
import pytest

from biases_jax.corruptions import synthetic_frost

LUMA = np.array([0.299, 0.587, 0.114])


@pytest.mark.parametrize("index", range(5))
def test_sizes_means_deviations_and_slopes_are_the_photographs(index):
    texture = synthetic_frost.textures()[index]
    like = synthetic_frost.PHOTOGRAPHS[index]
    assert texture.shape == (*like.size, 3) and texture.dtype == np.uint8
    # What is cut off at 0 and 255, up to 1 in 10 of the deviation (of crystals on a
    # bright ground), is not made up for.
    np.testing.assert_allclose(texture.mean((0, 1)), like.means, atol=1)
    np.testing.assert_allclose(texture.std((0, 1)), like.deviations, rtol=0.1)
    assert abs(slope(texture @ LUMA) - like.slope) < 0.05


def slope(luma):
    """Return the slope of log power against log frequency, 0.02 to 0.5 per pixel."""
    power = np.abs(np.fft.fft2(luma - luma.mean())) ** 2
    rows, columns = (np.fft.fftfreq(side) for side in luma.shape)
    radius = np.hypot(rows[:, None], columns)
    edges = np.geomspace(0.02, 0.5, 15)
    rings = [(a <= radius) & (radius < b) for a, b in itertools.pairwise(edges)]
    x = np.log([radius[ring].mean() for ring in rings])
    y = np.log([power[ring].mean() for ring in rings])
    return np.polyfit(x, y, 1)[0]


def test_the_second_and_the_third_are_one_and_no_others():
    first, second, third, fourth, _ = synthetic_frost.textures()
    np.testing.assert_array_equal(second, third)
    assert (first[:224, :224] != fourth[:224, :224]).mean() > 0.9


def test_crystals_are_lines_that_noise_of_the_same_spectrum_lacks():
    for texture in synthetic_frost.textures():
        luma = texture @ LUMA
        across = np.diff(luma, axis=0)
        fourth = (across**4).mean() / (across**2).mean() ** 2
        assert fourth > 3.05  # 3 is Gaussian noise's; its error here is below 0.02
