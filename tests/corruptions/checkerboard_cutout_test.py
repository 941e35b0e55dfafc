"""Are squares of a turned chessboard cut out?"""

import jax
import numpy as np
import pytest
from corruptions import cbar

from biases_jax.corruptions.checkerboard_cutout import CheckerboardCutout

NAME = "checkerboard_cutout"
ISOLATED = 1e-3  # pixels on a border between squares


@pytest.mark.parametrize("severity", cbar.RECORDED)
def test_recorded_draws_give_the_recorded_images(severity):
    cbar.demand_recorded(NAME, CheckerboardCutout(severity), 0)


@pytest.mark.parametrize("shape", [(93, 130), (300, 380)])
def test_fresh_draws_give_what_the_formula_gives(shape):
    cbar.demand_formula(NAME, CheckerboardCutout, 0, ISOLATED, shape)


def test_a_key_gives_the_same_bytes_in_any_batch():
    cbar.demand_same_bytes(CheckerboardCutout(5))


def test_half_of_the_fraction_is_cut_and_more_of_it_at_higher_severities():
    image = np.zeros((224, 224, 3), np.uint8)
    keys = jax.random.split(jax.random.key(0), 64)

    def cut(severity):
        corrupt = jax.vmap(CheckerboardCutout(severity), (0, None))
        return np.asarray(jax.jit(corrupt)(keys, image)) == 128

    low, high = cut(1), cut(5)
    assert (high | ~low).all()  # the same squares, and further ones
    # 64 boards of about 30 black squares each: SDs of 0.005 and 0.006.
    assert abs(low.mean() - 0.1) < 0.02 and abs(high.mean() - 0.3) < 0.025


def test_draws_have_the_published_distribution():
    draws = cbar.samples(CheckerboardCutout(1))
    cbar.demand_uniform(draws.pop("param_angle"), 0, 2 * np.pi)
    scales = draws.pop("param_scales")
    cbar.demand_uniform(scales[:, 0], 22.4, 56)
    np.testing.assert_array_equal(scales[:, 0], scales[:, 1])
    cbar.demand_uniform(draws.pop("grid")[:100], 0, 1)
    assert not draws
