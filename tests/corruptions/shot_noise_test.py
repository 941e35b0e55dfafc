"""Are counts those of the distribution, and levels those of the counts?"""

import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_pointwise as reference
from scipy import stats

from biases_jax.corruptions.shot_noise import ShotNoise


def middles(image, severity, counts):
    """Return the uniform numbers in the middle of what gives these counts."""
    rate = image / 255 * reference.photons(severity)
    # The upper tail is left out: below 1 in any case, where float32 has no middle.
    low, high = stats.poisson.cdf([counts - 1, counts], rate)
    return {"uniform": ((low + high) / 2).astype(np.float32)}


def recorded(image, severity, shape):
    image, state = golden.image(image), golden.random_state(image, severity)
    counts = state.poisson(image / 255 * reference.photons(severity))
    return middles(image, severity, counts)


def test_recorded_counts_give_the_references_outputs():
    checks.goldens(("shot_noise", ShotNoise, recorded), 0.0)


def test_other_images_come_out_as_stated():
    def random(severity, shape):
        image = checks.photograph()
        rate = image / 255 * reference.photons(severity)
        counts = np.random.default_rng(severity).poisson(rate)
        return middles(image, severity, counts), {"counts": counts}

    checks.statement(ShotNoise, reference.shot_noise, random)


@pytest.mark.parametrize("severity", checks.SEVERITIES)
def test_uniform_numbers_find_the_count_between_which_they_lie(severity):
    photons = reference.photons(severity)
    level = np.random.default_rng(0).integers(0, 256, (64, 64, 3)).astype(np.uint8)
    level[0] = 0
    uniform = np.random.default_rng(1).random(level.shape, np.float32)
    # An entry and a number may be one in float32 only: not among these.
    counts = stats.poisson.ppf(uniform.astype(float), level / 255 * photons)
    got = checks.run(ShotNoise(severity), level, {"uniform": uniform})
    expected = reference.shot_noise(level, severity, counts.clip(min=0))
    np.testing.assert_array_equal(got, expected)
    assert not got[0].any()  # black stays black


def test_the_borders_of_intervals_belong_to_the_count_above():
    level = np.full((1, 2, 3), 128, np.uint8)
    border = np.float32(stats.poisson.cdf(0, 12 * 128 / 255))
    uniform = np.full(level.shape, border)
    uniform[0, 0] = np.nextafter(border, np.float32(0))
    got = checks.run(ShotNoise(3), level, {"uniform": uniform})
    assert got[0].tolist() == [[0] * 3, [21] * 3]


def test_the_largest_uniform_number_is_white_where_there_is_light():
    level = np.full((2, 2, 3), 255, np.uint8)
    last = np.full(level.shape, 1 - 2**-24, np.float32)
    for severity in checks.SEVERITIES:
        got = checks.run(ShotNoise(severity), level, {"uniform": last})
        assert (got == 255).all()


def test_fresh_draws_have_the_recorded_statistics():
    checks.fresh(ShotNoise, "shot_noise")


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(ShotNoise(3))
