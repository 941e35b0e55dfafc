"""Are images stretched where the references' fields stretch them?"""

import functools

import jax
import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_blurs as reference

from biases_jax.corruptions.elastic_transform import ORIGINAL, ElasticTransform

# float32 falls on the other side of a whole level at about 1 in 10,000 values.
LIMIT = 5e-4
FLAVOURS = [("", "imagecorruptions"), ("original", "original")]
STATED = {
    "original": reference.elastic_original,
    "imagecorruptions": reference.elastic_imagecorruptions,
}


def draws(uniform, severity, shape, flavour):
    """Return the draws in the references' order."""
    given, most = {}, 0.005 * shape[0]
    if flavour == "original":
        jitter, most = ORIGINAL[severity - 1][2], 1
        given["jitter"] = uniform(-jitter, jitter, (3, 2)).astype(np.float32)
    for field in ("dx", "dy"):
        given[field] = uniform(-most, most, shape[:2]).astype(np.float32)
    return given


@pytest.mark.parametrize(("prefix", "flavour"), FLAVOURS)
def test_recorded_draws_give_the_references_outputs(prefix, flavour):
    def recorded(image, severity, shape):
        uniform = golden.random_state(image, severity).uniform
        return draws(uniform, severity, shape, flavour)

    make = functools.partial(ElasticTransform, flavour=flavour)
    checks.goldens(("elastic_transform", make, recorded), LIMIT, "blurs", prefix)


@pytest.mark.parametrize("flavour", STATED)
def test_other_images_come_out_as_stated_in_float64(flavour):
    def random(severity, shape):
        uniform = np.random.default_rng(severity).uniform
        given = draws(uniform, severity, shape, flavour)
        return given, given

    make = functools.partial(ElasticTransform, flavour=flavour)
    checks.statement(make, STATED[flavour], random, LIMIT)


def test_fresh_draws_have_the_recorded_statistics():
    make = functools.partial(ElasticTransform, flavour="imagecorruptions")
    checks.fresh(make, "elastic_transform")


def test_severities_of_one_key_draw_alike():
    key = jax.random.key(2)
    one, other = (ElasticTransform(s).sample(key, (40, 50, 3)) for s in (1, 3))
    np.testing.assert_array_equal(one["dx"], other["dx"])
    np.testing.assert_allclose(one["jitter"] / 24.4, other["jitter"] / 4.88, rtol=1e-6)


@pytest.mark.parametrize("flavour", STATED)
def test_a_key_gives_the_same_bytes_in_any_batch(flavour):
    checks.same_bytes(ElasticTransform(3, flavour))
