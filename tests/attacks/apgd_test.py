"""Does Auto-PGD give the recorded images, and the worst ones of a linear model?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
from tiny_network import GOLDEN, draws, logits_fn, run

from biases_jax.attacks import apgd, attack, dlr, pgd, targets

EPSILON = float(GOLDEN["eps_of_autoattack_parts"])
RECORDED = {
    "apgd_ce": apgd.APGD(EPSILON),
    "apgd_t": apgd.TargetedAPGD(EPSILON, rank=2),
}
RIGHT = jnp.asarray(GOLDEN["y"].astype(np.int32))[:, None]  # every label is right


@pytest.mark.parametrize("name", RECORDED)
def test_best_images_are_those_of_autoattack_in_float64(name):
    with jax.enable_x64(True):
        image = jnp.asarray(tiny_network.recorded("x"))
        result = run(RECORDED[name], draws(), image, RIGHT)
        assert result.image.dtype == result.best_loss.dtype == jnp.float64
    # Signs make pixels exact: what remains is the order of float64 sums. A flipped
    # sign would be of the size of a step, at least 1e-4.
    expected = tiny_network.recorded(f"{name}_x_best")
    np.testing.assert_allclose(result.best_image, expected, rtol=0, atol=1e-12)
    best_loss = GOLDEN[f"{name}_best_loss"]
    np.testing.assert_allclose(result.best_loss, best_loss, rtol=1e-11)
    right = GOLDEN[f"{name}_still_correct"]
    np.testing.assert_array_equal(result.fooled, ~right)
    assert right.any() and not right.all()


@pytest.mark.parametrize("name", RECORDED)
def test_success_is_that_of_autoattack_in_float32(name):
    image = jnp.asarray(tiny_network.recorded("x", np.float32))
    result = run(RECORDED[name], draws(), image, RIGHT)
    assert result.image.dtype == result.best_loss.dtype == jnp.float32
    np.testing.assert_array_equal(result.fooled, ~GOLDEN[f"{name}_still_correct"])
    # A sign that flips in float32 may send the ascent up another hill, as it does one
    # image of the targeted attack (by 0.39); elsewhere, losses have float32's 1e-7.
    best_loss = GOLDEN[f"{name}_best_loss"]
    near = np.isclose(result.best_loss, best_loss, rtol=0, atol=1e-4)
    assert near.sum() >= 4 and (result.best_loss >= best_loss - 1e-4).all()


def test_the_target_is_the_recorded_second_class():
    clean = jnp.asarray(GOLDEN["logits"], jnp.float32)
    found = targets.ranked(clean, 2)[:, 0]
    np.testing.assert_array_equal(found, GOLDEN["target_2nd_class"])


def test_the_best_loss_is_that_of_the_best_image():
    with jax.enable_x64(True):
        image = jnp.asarray(tiny_network.recorded("x"))
        found = [run(method, draws(), image, RIGHT) for method in RECORDED.values()]
        aimed = dlr.towards(jnp.asarray(GOLDEN["target_2nd_class"][:, None]))
        for result, loss in zip(found, (attack.cross_entropy, aimed), strict=True):
            again, _ = attack.losses(result.best_image, RIGHT, logits_fn, loss)
            np.testing.assert_allclose(result.best_loss, again, rtol=1e-12)


def test_the_ascent_finds_no_smaller_losses_than_40_fixed_steps():
    image = jnp.asarray(tiny_network.recorded("x", np.float32))
    fixed = run(pgd.PGD(EPSILON, 2 / 255, 40), draws(), image, RIGHT)
    free = run(RECORDED["apgd_ce"], draws(), image, RIGHT)
    # Here both find the same hills: float32 losses of up to 3 at their tops.
    assert (free.best_loss >= fixed.best_loss - 1e-4).all()


MEAN, DEVIATION = 0.45, 0.22


def weights():
    return jnp.asarray(np.random.default_rng(5).normal(size=(4, 4, 3)))


def linear(images):
    """Return logits of two classes, linear in the image, which it normalizes first."""
    seen = (images - MEAN) / DEVIATION
    projection = jnp.tensordot(seen, weights().astype(images.dtype), 3)
    return jnp.stack([projection, -projection], -1)


@pytest.mark.parametrize("label", [0, 1])
def test_on_a_linear_model_the_worst_image_is_found(label):
    sign, key = (-1, 1)[label], jax.random.key(0)
    with jax.enable_x64(True):
        image = jnp.asarray(np.random.default_rng(6).uniform(size=(3, 4, 4, 3)))
        truth = jnp.full((3, 1), label)
        # In linf every pixel is worst at its end, or at the border of [0, 1] before.
        worst = jnp.clip(image + 0.1 * sign * jnp.sign(weights())[None], 0, 1)
        method = apgd.APGD(0.1)
        noise = method.sample(key, image.shape)
        result = run(method, noise, image, truth, linear)
        np.testing.assert_allclose(result.best_image, worst, rtol=0, atol=1e-15)
        # The answers may stay right: the projection of a worst image tells.
        wrong = linear(worst).argmax(-1) != label
        np.testing.assert_array_equal(result.fooled, wrong)
        expected = jnp.where(wrong[:, None, None, None], worst, image)
        np.testing.assert_allclose(result.image, expected, rtol=0, atol=1e-15)
        assert (result.distance <= 0.1 + 1e-15).all()
        # In l2 it lies along the weights, as long as no border is near.
        image = 0.3 + 0.4 * image
        worst = image + sign * 0.1 * (weights() / jnp.linalg.norm(weights()))[None]
        method = apgd.APGD(0.1, "l2")
        noise = method.sample(key, image.shape)
        result = run(method, noise, image, truth, linear)
        best_loss, _ = attack.losses(worst, truth, linear)
        np.testing.assert_allclose(result.best_loss, best_loss, rtol=1e-12)
        # Near its largest value the loss is flat: float64 losses tell 1e-8 apart.
        np.testing.assert_allclose(result.best_image, worst, rtol=0, atol=1e-7)
