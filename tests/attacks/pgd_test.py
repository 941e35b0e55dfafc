"""Does following the gradient give the recorded images, and keep its promises?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
import torch
from tiny_network import GOLDEN, draws, labels, logits_fn, run

from biases_jax.attacks import attack, pgd

KEY = jax.random.key(0)
JUDGE = jax.jit(lambda x, y: attack.losses(x, y, logits_fn)[0])
RECORDED = {
    "fgsm_eps0.5of255": pgd.FGSM(0.5 / 255),
    "fgsm_eps4of255": pgd.FGSM(4 / 255),
    "linf_pgd40_eps0.5of255": pgd.PGD(0.5 / 255, 2 / 255, 40),
    "linf_pgd40_eps4of255": pgd.PGD(4 / 255, 2 / 255, 40),
    "l2_pgd40_eps0.25_step0.05_nostart": pgd.PGD(
        0.25, 0.05, 40, "l2", random_start=False
    ),
    "l2_fgm_eps0.25": pgd.FGSM(0.25, "l2"),
}
ITERATED = [
    pgd.PGD(8 / 255, 3 / 255, 5),
    pgd.PGD(0.5 / 255, 2 / 255, 5),
    pgd.PGD(0.5, 0.2, 5, "l2"),
    pgd.PGD(0.5, 0.2, 5, "l2", random_start=False),
]


def success_of(name):
    known = {"l2_pgd40_eps0.25_step0.05_nostart": "l2_pgd40_success"}
    return GOLDEN.get(known.get(name, f"{name}_success"))


@pytest.mark.parametrize("name", RECORDED)
def test_iterates_are_those_of_foolbox_in_float64(name):
    with jax.enable_x64(True):
        image = jnp.asarray(tiny_network.recorded("x"))
        result = run(RECORDED[name], draws(), image, labels())
        assert result.image.dtype == result.best_loss.dtype == jnp.float64
        # The order of float64 sums; a flipped sign would be at least 4e-3.
        np.testing.assert_allclose(
            result.image, tiny_network.recorded(name), rtol=0, atol=1e-12
        )
    expected = success_of(name)
    assert (expected is None) == (name == "l2_fgm_eps0.25")
    if expected is not None:
        np.testing.assert_array_equal(result.fooled, expected)


@pytest.mark.parametrize("name", RECORDED)
def test_success_is_that_of_foolbox_in_float32(name):
    image = jnp.asarray(tiny_network.recorded("x", np.float32))
    result = run(RECORDED[name], draws(), image, labels())
    assert result.image.dtype == result.best_loss.dtype == jnp.float32
    if success_of(name) is not None:
        np.testing.assert_array_equal(result.fooled, success_of(name))
    with jax.enable_x64(True):
        expected = jnp.asarray(tiny_network.recorded(name))
        images = jnp.stack([expected, result.image.astype(jnp.float64)])
        loss, reached = JUDGE(images, jnp.stack([labels()] * 2))
        # Losses are flat where signs flip: float32's 1e-7 in the image and its noise.
        np.testing.assert_allclose(reached, loss, rtol=1e-5)


def torch_reference(method, noise, images, truth):
    """Return every iterate of the definition, as PyTorch computes it in float64."""
    original, truth = torch.tensor(images), torch.tensor(truth).long()[:, 0]

    def length(delta):
        return delta.flatten(1).norm(dim=1).clamp(min=1e-12)[:, None, None, None]

    x = original
    if method.random_start:
        x = (x + method.epsilon * torch.tensor(noise).double()).clamp(0, 1)
    iterates = [x]
    for _ in range(method.steps):
        x = x.detach().requires_grad_()
        logits = tiny_network.torch_hilly(x)
        torch.nn.functional.cross_entropy(logits, truth, reduction="sum").backward()
        if method.norm == "l2":
            delta = x.detach() + method.step * x.grad / length(x.grad) - original
            delta = delta * (method.epsilon / length(delta)).clamp(max=1)
        else:
            delta = x.detach() + method.step * x.grad.sign() - original
            delta = delta.clamp(-method.epsilon, method.epsilon)
        x = (original + delta).clamp(0, 1)
        iterates.append(x.detach())
    losses = [
        torch.nn.functional.cross_entropy(
            tiny_network.torch_hilly(i), truth, reduction="none"
        ).numpy()
        for i in iterates
    ]
    return iterates, np.array(losses)


@pytest.mark.parametrize("method", ITERATED, ids=repr)
def test_the_last_and_the_best_iterate_are_those_of_a_torch_loop(method):
    with jax.enable_x64(True):
        image, truth, noise = tiny_network.inputs()
        if method.norm == "l2":  # into the unit ball, on whose edge no start would be
            noise = {"unit_noise": noise["unit_noise"] / 20}
        result = run(method, noise, image, truth, tiny_network.hilly)
        iterates, losses = torch_reference(
            method,
            np.array(noise["unit_noise"]),
            np.array(image),
            np.array(truth),
        )
        np.testing.assert_allclose(result.image, iterates[-1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(result.best_loss, losses.max(0), rtol=1e-12)
        assert (losses.argmax(0) < method.steps).any()  # the last is not all the best
        best = torch.stack(iterates).numpy()[losses.argmax(0), np.arange(5)]
        np.testing.assert_allclose(result.best_image, best, rtol=0, atol=1e-12)
        wrong = tiny_network.torch_hilly(iterates[-1]).argmax(1).numpy()
    np.testing.assert_array_equal(result.fooled, wrong != np.array(truth)[:, 0])
    np.testing.assert_array_equal(result.evaluations, [method.steps + 1] * 5)


def linear(images):
    """Return logits of two classes, linear in the image."""
    projection = jnp.tensordot(images, weights().astype(images.dtype), 3)
    return jnp.stack([projection, -projection], -1)


def weights():
    return jnp.asarray(np.random.default_rng(5).normal(size=(4, 4, 3)))


@pytest.mark.parametrize("label", [0, 1])
def test_on_a_linear_model_the_worst_image_is_found(label):
    sign = (-1, 1)[label]
    with jax.enable_x64(True):
        image = jnp.asarray(np.random.default_rng(6).uniform(size=(3, 4, 4, 3)))
        truth = jnp.full((3, 1), label)
        # In linf every pixel is worst at its end, or at the border of [0, 1] before.
        worst = jnp.clip(image + 0.1 * sign * jnp.sign(weights())[None], 0, 1)
        for method in (pgd.FGSM(0.1), pgd.PGD(0.1, 0.07, 3)):
            noise = method.sample(KEY, image.shape)
            found = run(method, noise, image, truth, linear).image
            np.testing.assert_allclose(found, worst, rtol=0, atol=1e-15)
        # In l2 it lies along the weights, as long as no border is near.
        image = 0.3 + 0.4 * image
        worst = image + sign * 0.1 * (weights() / jnp.linalg.norm(weights()))[None]
        for method in (
            pgd.FGSM(0.1, "l2"),
            pgd.PGD(0.1, 0.07, 3, "l2", random_start=False),
            pgd.PGD(0.1, 0.2, 60, "l2"),
        ):
            noise = method.sample(KEY, image.shape)
            result = run(method, noise, image, truth, linear)
            # From a random start, each step leaves a third of the way to go sideways.
            np.testing.assert_allclose(result.image, worst, rtol=0, atol=1e-12)
            np.testing.assert_allclose(result.distance, 0.1, rtol=1e-12)
