"""Is a plane wave added, of the right frequencies?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.single_frequency_greyscale import SingleFrequencyGreyscale

NAME = "single_frequency_greyscale"
SHARE = 1.5e-3  # phases of 700 radians in float32; 3.5e-4 of whole images measured


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, SingleFrequencyGreyscale(severity), SHARE)


def test_fresh_draws_give_what_the_formula_gives():
    cbar.demand_formula(NAME, SingleFrequencyGreyscale, SHARE)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(SingleFrequencyGreyscale(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(SingleFrequencyGreyscale(1))
    assert set(draws) == {"param_freq", "param_phase"}
    size = np.abs(draws["param_freq"])
    sign = np.sign(draws["param_freq"])
    cbar.demand_uniform(size.max(1), 0, np.pi)
    cbar.demand_uniform(size.min(1) / size.max(1), 0, 1)
    cbar.demand_uniform(draws["param_phase"], 0, 2 * np.pi)
    # Fair coins, 2000 times: the SD of their means is 0.022.
    assert np.abs(sign.mean(0)).max() < 0.09 and abs(sign.prod(1).mean()) < 0.09
    assert abs((size[:, 0] > size[:, 1]).mean() - 0.5) < 0.045
