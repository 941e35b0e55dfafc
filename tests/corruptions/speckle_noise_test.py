"""Does the noise grow with the light as the reference's does?"""

from corruptions import checks
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.speckle_noise import SpeckleNoise

# float32 falls on the other side of a whole level at about 1 in 100,000 values.
LIMIT = 1e-4


def test_recorded_draws_give_the_references_outputs():
    checks.goldens(("speckle_noise", SpeckleNoise, checks.recorded_normal), LIMIT)


def test_other_images_come_out_as_stated_in_float64():
    checks.statement(SpeckleNoise, reference.speckle_noise, checks.normal, LIMIT)


def test_fresh_draws_have_the_recorded_statistics():
    checks.fresh(SpeckleNoise, "speckle_noise")


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(SpeckleNoise(3))
