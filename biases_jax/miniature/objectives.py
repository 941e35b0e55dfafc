"""What does a network learn? The loss of one device's part of a batch."""

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

from biases_jax.miniature import augmentation
from biases_jax.miniature.recipes import Recipe
from biases_jax.types import Array, Float, Int, PRNGKey

TEMPERATURE = 0.2  # of the contrastive loss, for the small batches of a CPU
PROJECTED = 64  # features that are compared
Images = Float[Array, "b h w 3"]
Classes = Int[Array, " b"]


class Learnt(NamedTuple):
    """What one step on one part gives, beside the gradients."""

    statistics: Any  # of the batch norms, after the step
    loss: Float[Array, ""]
    right: Float[Array, ""]  # share of right answers


Loss = Callable[[Any, Any, PRNGKey, Any, Classes], tuple[Float[Array, ""], Learnt]]


def loss_of(recipe: Recipe, network: nn.Module) -> Loss:
    """Return `loss(params, statistics, key, stored, classes)` with what was learnt.

    `params` has `network` and, for views, `projection`; `stored` are uint8 images.
    """
    return (
        _views(recipe, network)
        if recipe.objective == "views"
        else _classes(recipe, network)
    )


def _classes(recipe: Recipe, network: nn.Module) -> Loss:
    running = recipe.trained == "head"

    def loss(params, statistics, key, stored, classes):
        keys = jax.random.split(key, 4)
        images = recipe.augment(keys[1], augmentation.photograph(keys[0], stored))
        images, partners = _mixed(recipe, keys[2], images, classes)
        answers = _answers(network, params["network"], statistics, not running)
        if recipe.attack:
            attacked = lambda x: answers(x)[0]  # noqa: E731
            images = recipe.attack(keys[3], images, classes[:, None], attacked)
        logits, changed = answers(images)
        targets = optax.smooth_labels(
            _soft(classes, partners, network.classes), recipe.smoothing
        )
        total = optax.softmax_cross_entropy(logits, targets).mean()
        right = (logits.argmax(1) == classes).mean()
        return total, Learnt(changed, total, right)

    return loss


def _views(recipe: Recipe, network: nn.Module) -> Loss:
    def loss(params, statistics, key, stored, classes):
        keys = jax.random.split(key, 3)
        images = augmentation.photograph(keys[0], stored)
        views = jnp.concatenate([recipe.augment(k, images) for k in keys[1:]])
        variables = {"params": params["network"], "batch_stats": statistics}
        (_, pooled), changed = network.apply(variables, views, mutable="batch_stats")
        twice = jnp.concatenate([classes, classes])
        total, right = contrast(pooled @ params["projection"], twice)
        return total, Learnt(changed["batch_stats"], total, right)

    return loss


def contrast(
    features: Float[Array, "n d"], classes: Int[Array, " n"]
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the supervised contrastive loss in nats, and the share of rows found.

    Each row is to be more alike to all rows of its class than to others (Khosla et al.
    2020, equation 2). A row is found if the one most alike is of its class. Every class
    must be in two rows or more.
    """
    count = features.shape[0]
    length = jnp.linalg.norm(features, axis=1, keepdims=True)
    features = features / jnp.maximum(length, 1e-6)
    itself = jnp.eye(count, dtype=bool)
    logits = jnp.where(itself, -jnp.inf, features @ features.T / TEMPERATURE)
    alike = (classes[:, None] == classes[None]) & ~itself
    loss = -jax.nn.log_softmax(logits).mean(1, where=alike).mean()
    return loss, (classes[logits.argmax(1)] == classes).mean()


def _answers(network, params, statistics, train):
    """Return `images -> (logits, statistics after them)`."""
    variables = {"params": params, "batch_stats": statistics}

    def answers(images):
        if not train:
            return network.apply(variables, images, train=False)[0], statistics
        (logits, _), changed = network.apply(variables, images, mutable="batch_stats")
        return logits, changed["batch_stats"]

    return answers


def _mixed(recipe, key, images, classes):
    """Return images mixed with their neighbours, and (share, neighbours' classes)."""
    if not recipe.mixup:
        return images, (jnp.ones(images.shape[0]), classes)
    share = jax.random.beta(key, recipe.mixup, recipe.mixup, images.shape[:1])
    weight = share[:, None, None, None]
    mixed = weight * images + (1 - weight) * jnp.roll(images, 1, 0)
    return mixed, (share, jnp.roll(classes, 1))


def _soft(classes, partners, count):
    share, others = partners
    first, second = jax.nn.one_hot(classes, count), jax.nn.one_hot(others, count)
    return share[:, None] * first + (1 - share[:, None]) * second
