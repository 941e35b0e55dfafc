"""Is the noise added with the reference's strength, and cut as there?"""

from corruptions import checks
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.gaussian_noise import GaussianNoise

# float32 falls on the other side of a whole level at about 1 in 100,000 values.
LIMIT = 1e-4


def test_recorded_draws_give_the_references_outputs():
    checks.goldens(("gaussian_noise", GaussianNoise, checks.recorded_normal), LIMIT)


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(GaussianNoise, reference.gaussian_noise, checks.normal, LIMIT)


def test_fresh_draws_have_the_recorded_statistics():
    checks.fresh(GaussianNoise, "gaussian_noise")


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(GaussianNoise(3))
