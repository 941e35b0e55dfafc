"""Is the loss that attacks climb right, and are wrong inputs refused?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tiny_network
import torch
from tiny_network import GOLDEN, logits_fn

from biases_jax.attacks import attack, pgd


def inputs(dtype=np.float32):
    return jnp.asarray(tiny_network.recorded("x", dtype)), tiny_network.labels()


def test_the_recorded_logits_are_those_of_both_networks():
    with jax.enable_x64(True):
        image, _ = inputs(np.float64)
        logits = jax.jit(logits_fn)(image)
    # The order of float64 sums of numbers up to 10.
    np.testing.assert_allclose(logits, GOLDEN["logits"], rtol=0, atol=1e-13)
    theirs = tiny_network.torch_logits(torch.tensor(np.array(image)))
    np.testing.assert_allclose(theirs, GOLDEN["logits"], rtol=0, atol=1e-13)


def test_losses_and_gradients_are_those_of_torch():
    with jax.enable_x64(True):
        image, label = inputs(np.float64)
        loss, wrong, gradient = jax.jit(
            lambda x, y: attack.losses_and_gradient(x, y, logits_fn)
        )(image, label)
    x = torch.tensor(np.array(image), requires_grad=True)
    truth = torch.tensor(GOLDEN["y_with_one_wrong"])
    logits = tiny_network.torch_logits(x)
    each = torch.nn.functional.cross_entropy(logits, truth, reduction="none")
    each.sum().backward()
    np.testing.assert_allclose(loss, each.detach(), rtol=1e-12)
    np.testing.assert_allclose(gradient, x.grad, rtol=1e-10, atol=1e-15)
    np.testing.assert_array_equal(wrong, [False] * 4 + [True])


def test_another_loss_takes_the_place_of_the_cross_entropy():
    image, label = inputs()

    def loss(logits, label):
        return 2 * attack.cross_entropy(logits, label) - 1

    found = attack.losses_and_gradient(image, label, logits_fn, loss)
    expected = attack.losses_and_gradient(image, label, logits_fn)
    # Float32, of losses up to 10.
    np.testing.assert_allclose(found[0], 2 * expected[0] - 1, atol=1e-5)
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[2], 2 * expected[2], atol=1e-5)


def test_the_loss_has_the_precision_of_the_image_not_of_the_logits():
    image, label = inputs()
    logits = jnp.asarray(GOLDEN["logits"], jnp.float32)
    loss, _ = attack.losses(image, label, lambda x: logits.astype(jnp.bfloat16))
    assert loss.dtype == jnp.float32
    expected, _ = attack.losses(image, label, lambda x: logits)
    # The logits, of about 5, are rounded to 8 bits, the losses are not.
    np.testing.assert_allclose(loss, expected, atol=0.05)
    assert (loss != loss.astype(jnp.bfloat16).astype(jnp.float32)).any()


def test_the_best_is_kept_example_by_example():
    image, _ = inputs()
    best = attack.nothing_yet(image)
    assert (best.loss == -jnp.inf).all()
    best = best.or_better(image / 2, jnp.array([1.0, 2, 3, 4, jnp.nan]))
    best = best.or_better(image / 4, jnp.array([2.0, 1, 3, 5, 0]))
    np.testing.assert_array_equal(best.loss, [2, 2, 3, 5, 0])
    factors = np.array([4, 2, 2, 4, 4], np.float32)[:, None, None, None]
    np.testing.assert_array_equal(best.image * factors, image)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x, y: (x.astype(jnp.bfloat16), y), "bfloat16.*float32 or float64"),
        (lambda x, y: ((255 * x).astype(jnp.uint8), y), "uint8.*float32 or float64"),
        (lambda x, y: (x, y[:, 0]), r"labels \(5,\), expected.*\[b, 1\]"),
        (lambda x, y: (x, y[0]), r"\(5, 16, 16, 3\) and labels \(1,\)"),
        (lambda x, y: (x[0], y), r"images \(16, 16, 3\) and labels \(5, 1\)"),
        (lambda x, y: (x.transpose(0, 3, 1, 2), y), r"\(5, 3, 16, 16\)"),
    ],
)
def test_wrong_images_and_labels_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        attack.demand_images(*change(*inputs()))


def test_attacks_ask_for_the_right_images_first():
    image, label = inputs()
    with pytest.raises(Exception, match="bfloat16"):
        pgd.FGSM(0.1).run({}, image.astype(jnp.bfloat16), label, logits_fn)


def test_a_function_of_other_batches_is_refused():
    image, label = inputs()
    with pytest.raises(ValueError, match=r"logits \(1, 20\) for images .*one image"):
        attack.losses(image[0], label[0], lambda x: jnp.zeros((1, 20)))
