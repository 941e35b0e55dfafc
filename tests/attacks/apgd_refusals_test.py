"""Does Auto-PGD refuse what it cannot attack, and say why?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
from tiny_network import logits_fn

from biases_jax.attacks import apgd


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: apgd.APGD(-0.1), "epsilon=-0.1.*4/255"),
        (lambda: apgd.APGD(0.1, steps=0), "steps=0, expected at least 1"),
        (lambda: apgd.APGD(0.1, rho=1.5), r"rho=1.5.*\[0, 1\]"),
        (lambda: apgd.TargetedAPGD(0.1, rho=float("nan"), rank=2), "rho=nan"),
        (lambda: apgd.TargetedAPGD(0.1, rank=1), "rank=1, expected.* at least 2"),
        (lambda: apgd.TargetedAPGD(0.1, rank=0), "rank=0, expected.* at least 2"),
        (lambda: apgd.demand_loss("cw"), r"loss 'cw'.*'ce', 'dlr'"),
    ],
)
def test_impossible_attacks_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("method", "classes", "message"),
    [
        (apgd.APGD(0.1, loss="dlr"), 2, "2 classes, expected at least 3"),
        (apgd.TargetedAPGD(0.1, rank=2), 3, "3 classes, expected at least 4"),
        (apgd.TargetedAPGD(0.1, rank=6), 5, "rank=6 for 5 classes"),
    ],
)
def test_models_of_too_few_classes_are_refused(method, classes, message):
    image, truth, noise = tiny_network.inputs(np.float32)
    few = lambda x: logits_fn(x)[..., :classes]  # noqa: E731
    with pytest.raises(ValueError, match=message):
        jax.eval_shape(lambda: method.run(noise, image, truth, few))


def test_other_images_and_models_are_refused():
    image, truth, noise = tiny_network.inputs(np.float32)
    for method in (apgd.APGD(0.1), apgd.TargetedAPGD(0.1, rank=2)):
        with pytest.raises(ValueError, match=r"logits \(1, 20\).*one image"):
            method.run(
                {"unit_noise": noise["unit_noise"][0]},
                image[0],
                truth[0],
                lambda x: jnp.zeros((1, 20)),
            )
        with pytest.raises(Exception, match="bfloat16"):
            method.run(noise, image.astype(jnp.bfloat16), truth, logits_fn)
