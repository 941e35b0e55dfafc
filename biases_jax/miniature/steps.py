"""What happens in one step of training?"""

import functools
import zlib
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

from biases_jax.miniature import objectives
from biases_jax.miniature.recipes import Recipe
from biases_jax.sharding import Spread

WARM_UP = 0.2  # of the steps
DECAY = 0.02  # of matrices only
Trees = dict[str, Any]


class State(NamedTuple):
    """All that the next step needs."""

    step: int
    params: Trees  # `network`, and `projection` where views are compared
    statistics: Trees
    optimizer: Any


def first_state(
    recipe: Recipe,
    net: nn.Module,
    start: Trees | None,
    optimizer: optax.GradientTransformation,
) -> State:
    """Return the state before the first step, from `start` or at random."""
    seeds = jax.random.split(jax.random.key(zlib.crc32(recipe.name.encode())))
    variables = start or net.init(seeds[0], jnp.zeros((1, 64, 64, 3)))
    params = {"network": variables["params"]}
    if recipe.objective == "views":
        features = variables["params"]["fc"]["kernel"].shape[0]
        projection = jax.random.normal(seeds[1], (features, objectives.PROJECTED))
        params["projection"] = projection / np.float32(np.sqrt(features))
    return State(0, params, variables["batch_stats"], optimizer.init(params))


def optimizer_of(recipe: Recipe, steps: int) -> optax.GradientTransformation:
    """Return AdamW over one cycle of the learning rate, for what the recipe trains."""
    schedule = optax.cosine_onecycle_schedule(steps, recipe.peak, WARM_UP)
    chain = optax.adamw(
        schedule,
        b2=0.99,
        weight_decay=DECAY,
        mask=functools.partial(jax.tree.map, lambda leaf: leaf.ndim > 1),
    )
    groups = {"trained": chain, "frozen": optax.set_to_zero()}
    return optax.multi_transform(groups, functools.partial(_groups, recipe.trained))


def _groups(trained: str, params: Trees) -> Trees:
    """Return which leaves are trained and which stay as they are."""

    def group(path, leaf):
        names = [entry.key for entry in path]
        if trained == "head":
            return "trained" if "fc" in names else "frozen"
        frozen = trained == "not_3x3" and leaf.shape[:2] == (3, 3)
        return "frozen" if frozen else "trained"

    return jax.tree_util.tree_map_with_path(group, params)


def step_of(
    recipe: Recipe,
    net: nn.Module,
    optimizer: optax.GradientTransformation,
    spread: Spread,
) -> Callable[[State, np.ndarray, np.ndarray], tuple[State, Any, Any]]:
    """Return `step(state, images, classes)`: the next state, loss and share right.

    The batch is split over the devices, and gradients are averaged on the host.
    """
    loss = jax.value_and_grad(objectives.loss_of(recipe, net), has_aux=True)

    def part(params, statistics, keys, images, classes):
        (_, learnt), gradients = loss(
            params, statistics, jax.random.wrap_key_data(keys[0]), images, classes
        )
        return jax.tree.map(lambda leaf: leaf[None], (gradients, learnt))

    on_parts = spread.per_device(part, (False, False, True, True, True))

    @jax.jit
    def update(params, state, gradients):
        changes, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, changes), state

    def step(state: State, images, classes):
        keys = _keys(recipe, state.step, len(spread.devices))
        shared = spread.replicate((state.params, state.statistics))
        parts = spread.collect(
            on_parts(*shared, *spread.shard((keys, images, classes)))
        )
        # On the host: each device works for itself, and nothing waits for another.
        gradients, learnt = jax.tree.map(lambda leaf: leaf.mean(0), parts)
        params, optimizer_state = update(state.params, state.optimizer, gradients)
        after = State(state.step + 1, params, learnt.statistics, optimizer_state)
        return after, learnt.loss, learnt.right

    return step


def _keys(recipe: Recipe, step: int, devices: int) -> np.ndarray:
    seed = zlib.crc32(f"{recipe.name} {step}".encode())
    keys = jax.random.split(jax.random.key(seed), devices)
    return np.asarray(jax.random.key_data(keys))
