"""Are values lost where the masks say, and as many as the severity says?"""

import itertools

import jax
import numpy as np
from corruptions import checks, golden
from corruptions import reference_pointwise as reference

from biases_jax.corruptions.impulse_noise import ImpulseNoise


def masks(generator, severity, shape):
    flip = generator.random(shape) <= reference.share(severity)
    return {"flip": flip, "salt": generator.random(shape) <= 0.5}


def recorded(image, severity, shape):
    generator = np.random.default_rng(golden.seed(image, severity))
    return masks(generator, severity, shape)


def random(severity, shape):
    draws = masks(np.random.default_rng(severity), severity, shape)
    return draws, draws


def test_recorded_masks_give_the_references_outputs():
    checks.goldens(("impulse_noise", ImpulseNoise, recorded), 0.0)


def test_other_images_come_out_as_stated():
    checks.statement(ImpulseNoise, reference.impulse_noise, random)


def test_fresh_draws_have_the_recorded_statistics():
    checks.fresh(ImpulseNoise, "impulse_noise")


def test_severities_lose_more_and_more_of_the_same_values():
    draws = [
        ImpulseNoise(s).sample(jax.random.key(0), (224, 224, 3)) for s in range(1, 6)
    ]
    for severity, draw in enumerate(draws, 1):
        share = reference.share(severity)
        error = (share * (1 - share) / draw["flip"].size) ** 0.5
        assert abs(float(draw["flip"].mean()) - share) < 4 * error
        np.testing.assert_array_equal(draw["salt"], draws[0]["salt"])
    for fewer, more in itertools.pairwise(draws):
        assert not (fewer["flip"] & ~more["flip"]).any()
    # The coin and the loss share a word and are independent all the same.
    salt = draws[4]["salt"][draws[4]["flip"]]
    assert abs(float(salt.mean()) - 0.5) < 4 * 0.5 / salt.size**0.5


def test_a_key_gives_the_same_bytes_in_any_batch():
    checks.same_bytes(ImpulseNoise(3))
