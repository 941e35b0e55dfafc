"""Are rings with wavy fronts added?"""

import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.cocentric_sine_waves import CocentricSineWaves

NAME = "cocentric_sine_waves"
SHARE = 2e-3  # the distance is divided by narrow rings; 3e-4 of whole images measured
ISOLATED = 5e-4  # pixels where a ring begins: there the saw-tooth jumps


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, CocentricSineWaves(severity), SHARE)


def test_fresh_draws_give_what_the_formula_gives():
    cbar.demand_formula(NAME, CocentricSineWaves, SHARE, ISOLATED)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(CocentricSineWaves(5))


def test_draws_have_the_published_distribution():
    draws = cbar.samples(CocentricSineWaves(1), (100, 300, 3))
    cbar.demand_uniform(draws.pop("param_offset") / np.array([300, 100]), 0, 1)
    cbar.demand_uniform(draws.pop("param_freq"), 0, 10)
    cbar.demand_uniform(draws.pop("param_amplitude"), 0, 22.4)
    width = draws.pop("param_ring_width")
    cbar.demand_uniform(width, 0, 22.4)
    assert width.min() > 0 and not draws
