"""Is what the small networks learn what their recipes say?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import linen as nn

from biases_jax.attacks.pgd import PGD
from biases_jax.miniature import objectives
from biases_jax.miniature.recipes import RECIPES, Recipe


class Linear(nn.Module):
    """Stands for a network: logits are a linear function of the images."""

    classes: int = 3

    @nn.compact
    def __call__(self, images, train=True):
        """Return logits and features; training moves the statistics."""
        seen = self.variable("batch_stats", "seen", jnp.zeros, ())
        if train:
            seen.value = seen.value + 1
        pooled = images.reshape(images.shape[0], -1)
        return nn.Dense(self.classes)(pooled), pooled


def losses(recipe, stored, classes):
    network = Linear()
    variables = network.init(jax.random.key(3), jnp.zeros((1, 224, 224, 3)), False)
    params = {"network": variables["params"]}
    loss = objectives.loss_of(recipe, network)
    statistics = variables["batch_stats"]
    return loss(params, statistics, jax.random.key(0), stored, classes)


@pytest.fixture
def stored():
    generator = np.random.default_rng(6)
    return jnp.asarray(generator.integers(0, 256, (6, 224, 224, 3), np.uint8))


def test_contrast_is_the_mean_cross_entropy_of_finding_the_class():
    features = np.random.default_rng(7).normal(size=(8, 5)).astype(np.float32)
    classes = np.array([0, 1, 2, 0, 1, 2, 0, 1], np.int32)
    unit = features / np.linalg.norm(features, axis=1, keepdims=True)
    similar = np.exp(unit @ unit.T / objectives.TEMPERATURE)
    total, found = 0.0, 0
    for row in range(8):
        others = [column for column in range(8) if column != row]
        alike = [column for column in others if classes[column] == classes[row]]
        shares = similar[row] / similar[row, others].sum()
        total -= np.mean([np.log(shares[column]) for column in alike])
        best = max(others, key=lambda column: similar[row, column])
        found += classes[best] == classes[row]
    loss, right = objectives.contrast(jnp.asarray(features), jnp.asarray(classes))
    np.testing.assert_allclose(loss, total / 8, rtol=1e-5)
    assert float(right) == found / 8


def test_classes_that_lie_together_are_found():
    directions = np.repeat(np.eye(4, dtype=np.float32), 4, axis=0)
    classes = jnp.repeat(jnp.arange(4), 4)
    loss, right = objectives.contrast(jnp.asarray(directions), classes)
    # Of 15 others, three are alike at cosine 1 and twelve at 0.
    expected = np.log(3 + 12 * np.exp(-1 / objectives.TEMPERATURE))
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    assert float(right) == 1
    _, gradient = jax.value_and_grad(lambda x: objectives.contrast(x, classes)[0])(
        jnp.asarray(directions)
    )
    assert np.isfinite(np.asarray(gradient)).all()


def test_smoothing_asks_for_less_than_certainty(stored):
    classes = jnp.arange(6) % 3
    hard, _ = losses(Recipe("x"), stored, classes)
    smooth, _ = losses(Recipe("x", smoothing=0.5), stored, classes)
    even = [losses(Recipe("x"), stored, (classes + i) % 3)[0] for i in range(3)]
    # Half of the weight goes to all classes alike.
    np.testing.assert_allclose(smooth, 0.5 * hard + 0.5 * np.mean(even), rtol=1e-5)


def test_mixup_mixes_images_and_labels_alike(stored):
    key, classes = jax.random.key(1), jnp.arange(6) % 3
    images = jnp.asarray(stored, jnp.float32) / 255
    mixed, (share, others) = objectives._mixed(
        Recipe("x", mixup=1.0), key, images, classes
    )
    assert (others == jnp.array([2, 0, 1, 2, 0, 1])).all()
    row = 2
    expected = share[row] * images[row] + (1 - share[row]) * images[row - 1]
    np.testing.assert_allclose(mixed[row], expected, atol=1e-6)
    soft = objectives._soft(classes, (share, others), 3)
    np.testing.assert_allclose(soft[row, classes[row]], share[row], rtol=1e-6)
    np.testing.assert_allclose(soft.sum(1), 1, rtol=1e-6)


def test_attacked_images_are_harder(stored):
    classes = jnp.arange(6) % 3
    plain, _ = losses(Recipe("x"), stored, classes)
    attack = PGD(epsilon=8 / 255, step=8 / 255, steps=1, random_start=False)
    attacked, _ = losses(Recipe("x", attack=attack), stored, classes)
    assert float(attacked) > float(plain)


def test_heads_are_trained_by_running_statistics(stored):
    recipe = dataclasses.replace(RECIPES["contrastive"], start="")
    _, learnt = losses(recipe, stored, jnp.arange(6) % 3)
    assert float(learnt.statistics["seen"]) == 0
    _, learnt = losses(Recipe("x"), stored, jnp.arange(6) % 3)
    assert float(learnt.statistics["seen"]) == 1
