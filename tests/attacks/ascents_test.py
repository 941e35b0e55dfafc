"""Does Auto-PGD go where a loop over one example, in NumPy, goes?

The loop, the network and all gradients are written out from the definitions: nothing
of the package, nor automatic differentiation, is in them.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_network import run

from biases_jax.attacks import apgd

SHAPE, CLASSES = (3, 4, 3), 6
GENERATOR = np.random.default_rng(1)
FIRST = GENERATOR.normal(size=(36, 16))
SECOND = GENERATOR.normal(size=(16, CLASSES))
# Many pixels are 0 or 1, so that the borders matter.
IMAGES = np.clip(GENERATOR.uniform(-0.3, 1.3, size=(6, *SHAPE)), 0, 1)
NOISE = GENERATOR.uniform(-1, 1, size=(6, *SHAPE)).astype(np.float32)


def answers(images):
    """Return logits of a network with hills, in JAX."""
    hidden = jnp.sin(jnp.tensordot(images, jnp.asarray(FIRST).reshape(*SHAPE, 16), 3))
    return hidden @ jnp.asarray(SECOND)


LABELS = np.argmax(np.sin(IMAGES.reshape(6, 36) @ FIRST) @ SECOND, 1)
LABELS[5] = (LABELS[5] + 1) % CLASSES  # one answer is wrong before the attack


def cross_entropy(z, y, _):
    softmax = np.exp(z - z.max()) / np.exp(z - z.max()).sum()
    return -np.log(softmax[y]), softmax - np.eye(CLASSES)[y]


def ratio(z, y, rival, negatives):
    """Return -(z_y - z_rival) / (z_1 - mean of others), and its gradient."""
    order, one = np.argsort(-z), np.eye(CLASSES)
    below = one[order[0]] - np.mean([one[order[k - 1]] for k in negatives], 0)
    ahead, denominator = one[y] - one[rival], below @ z + 1e-12
    loss = -(ahead @ z) / denominator
    return loss, -ahead / denominator + (ahead @ z) / denominator**2 * below


def untargeted(z, y, _):
    return ratio(z, y, max((k for k in range(CLASSES) if k != y), key=z.item), [3])


def targeted(z, y, clean):
    return ratio(z, y, np.argsort(-clean)[2], [3, 4])  # the class of rank 3


def evaluate(x, y, clean, loss):
    """Return the loss, its gradient in the image, and whether the answer is wrong."""
    inner = x.ravel() @ FIRST
    z = np.sin(inner) @ SECOND
    value, slope = loss(z, y, clean)
    gradient = FIRST @ (np.cos(inner) * (SECOND @ slope))
    return value, gradient.reshape(SHAPE), z.argmax() != y


def loop(method, image, noise, y, loss):
    """Return candidate, best image, best loss and success, by the definition."""
    euclidean, eps, steps = method.norm == "l2", method.epsilon, method.steps

    def cut(x):
        if euclidean:
            far = np.linalg.norm(x - image)
            return np.clip(image + (x - image) * min(1, eps / max(far, 1e-12)), 0, 1)
        return np.clip(np.clip(x, image - eps, image + eps), 0, 1)

    def direction(g):
        return g / max(np.linalg.norm(g), 1e-12) if euclidean else np.sign(g)

    far = np.linalg.norm(noise) if euclidean else np.abs(noise).max()
    x = np.clip(image + eps * noise / far, 0, 1)
    clean = np.sin(image.ravel() @ FIRST) @ SECOND
    l_best, gradient, wrong = evaluate(x, y, clean, loss)
    x_best, g_best, x_previous, step = x, gradient, x, 2 * eps
    fooled, x_fooling = wrong, x if wrong else image
    history, reduced, l_last = np.zeros(steps), True, l_best
    window, since = int(0.22 * steps), 0
    for i in range(steps):
        difference, x_previous = x - x_previous, x
        a = 1 if i == 0 else 0.75
        z = cut(x + step * direction(gradient))
        x = cut(x + a * (z - x) + (1 - a) * difference)
        history[i], gradient, wrong = evaluate(x, y, clean, loss)
        if wrong:
            fooled, x_fooling = True, x
        if history[i] > l_best:
            x_best, g_best, l_best = x, gradient, history[i]
        since += 1
        if since == window:
            rises = [history[i - c] > history[i - c - 1] for c in range(window)]
            osc = sum(rises) <= method.rho * window or (
                not reduced and l_best == l_last
            )
            if osc:
                step, x, gradient = step / 2, x_best, g_best
            reduced, l_last = osc, l_best
            window, since = max(window - int(0.03 * steps), int(0.06 * steps)), 0
    return x_fooling, x_best, l_best, fooled


METHODS = [
    (apgd.APGD(0.1), cross_entropy),
    (apgd.APGD(0.1, loss="dlr", steps=50), untargeted),
    (apgd.TargetedAPGD(0.1, rank=3), targeted),
    (apgd.APGD(0.3, "l2"), cross_entropy),
    (apgd.TargetedAPGD(0.15, "l2", rho=0.6, rank=3), targeted),
]


@pytest.mark.parametrize(("method", "loss"), METHODS)
def test_candidates_and_best_images_are_those_of_the_loop(method, loss):
    rows = list(zip(IMAGES, NOISE.astype(np.float64), LABELS, strict=True))
    small = dataclasses.replace(method, epsilon=method.epsilon / 20)
    for sized in (method, small):
        expected = [loop(sized, *row, loss) for row in rows]
        candidate, best, best_loss, fooled = map(np.stack, zip(*expected, strict=True))
        with jax.enable_x64(True):
            result = run(
                sized,
                {"unit_noise": jnp.asarray(NOISE)},
                jnp.asarray(IMAGES),
                jnp.asarray(LABELS.astype(np.int32))[:, None],
                answers,
            )
        # Float64 sums in another order, along 100 steps over hills: pixels changed by
        # 1e-15 change the loop's results by 1e-13 (but from 0.3 on in l2 by 4e-3 where
        # it is targeted).
        np.testing.assert_allclose(result.image, candidate, rtol=0, atol=1e-11)
        np.testing.assert_allclose(result.best_image, best, rtol=0, atol=1e-11)
        np.testing.assert_allclose(result.best_loss, best_loss, rtol=1e-11)
        np.testing.assert_array_equal(result.fooled, fooled)
        looks = isinstance(method, apgd.TargetedAPGD)
        np.testing.assert_array_equal(result.evaluations, method.steps + 1 + looks)
        if sized is small:
            assert not fooled.all()
            np.testing.assert_array_equal(candidate[~fooled], IMAGES[~fooled])
        else:
            assert fooled.sum() > 1
            # In l2 the ascent may end on its best image; signs go back and forth.
            assert method.norm == "l2" or not np.array_equal(candidate, best)
