"""How is one small network trained, resumably?"""

import functools
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from absl import logging
from etils import epath
from flax import serialization

from biases_jax.miniature import batches, network, objectives
from biases_jax.miniature.classes import KINDS
from biases_jax.miniature.recipes import Recipe
from biases_jax.models import ops
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from biases_jax.sharding import Spread

KEPT_EVERY = 200  # steps; a kill costs no more
REPORTED_EVERY = 100
WARM_UP = 0.2  # of the steps
DECAY = 0.02  # of matrices only
Trees = dict[str, Any]


class State(NamedTuple):
    """All that the next step needs."""

    step: int
    params: Trees  # `network`, and `projection` where views are compared
    statistics: Trees
    optimizer: Any


class Curve(NamedTuple):
    """Mean loss in nats and share of right answers of the last steps."""

    step: int
    loss: float
    right: float


def small_network() -> network.Trained:
    """Return the network that all recipes train."""
    return network.Trained(
        IMAGENET_MEAN, IMAGENET_STD, classes=len(KINDS), forms=ops.for_backend()
    )


def train(
    recipe: Recipe,
    sets: Mapping[str, np.ndarray],
    spread: Spread,
    start: Trees | None,
    folder: epath.Path,
) -> tuple[Trees, list[Curve]]:
    """Return the variables `params` and `batch_stats`, and how they came about.

    Batches and draws are functions of the recipe's name and the step, so that a
    training that was killed goes on as if it had not been.

    Args:
        recipe: to follow.
        sets: its training sets by name, uint8; image i is of class i modulo 16.
        spread: over the devices; a batch norm sees its device's part of the batch.
        start: variables of the recipe that this one starts from, None for none.
        folder: where the state is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    net, steps = small_network(), recipe.samples // batches.BATCH
    optimizer = _optimizer(recipe, steps)
    state = _first_state(recipe, net, start, optimizer)
    kept, curve = folder / f"{recipe.name}.state", []
    if kept.exists():
        state, curve = _restored(kept, state)
    step = _step(recipe, net, optimizer, spread)
    recent = []
    for images, classes in batches.batches(recipe, sets, state.step, steps):
        state, loss, right = step(state, images, classes)
        recent.append((loss, right))
        if state.step % REPORTED_EVERY == 0 or state.step == steps:
            means = np.mean(recent, axis=0).tolist()
            curve.append(Curve(state.step, *means))
            logging.info(
                "%s: step %d of %d, loss %.3f, right %.3f",
                recipe.name,
                state.step,
                steps,
                *means,
            )
            recent = []
        if state.step % KEPT_EVERY == 0 or state.step == steps:
            _keep(kept, state, curve)
    variables = {"params": state.params["network"], "batch_stats": state.statistics}
    return jax.device_get(variables), curve


def _first_state(recipe, net, start, optimizer) -> State:
    seeds = jax.random.split(jax.random.key(zlib.crc32(recipe.name.encode())))
    variables = start or net.init(seeds[0], jnp.zeros((1, 64, 64, 3)))
    params = {"network": variables["params"]}
    if recipe.objective == "views":
        features = variables["params"]["fc"]["kernel"].shape[0]
        projection = jax.random.normal(seeds[1], (features, objectives.PROJECTED))
        params["projection"] = projection / np.float32(np.sqrt(features))
    return State(0, params, variables["batch_stats"], optimizer.init(params))


def _optimizer(recipe: Recipe, steps: int) -> optax.GradientTransformation:
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


def _step(recipe, net, optimizer, spread) -> Callable:
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


def _keep(path: epath.Path, state: State, curve: list[Curve]) -> None:
    content = {
        "state": serialization.to_state_dict(jax.device_get(state)),
        "curve": [list(point) for point in curve],
    }
    part = path.with_suffix(".part")
    part.write_bytes(serialization.msgpack_serialize(content))
    part.replace(path)


def _restored(path: epath.Path, like: State) -> tuple[State, list[Curve]]:
    content = serialization.msgpack_restore(path.read_bytes())
    curve = [Curve(int(at), *map(float, means)) for at, *means in content["curve"]]
    state = serialization.from_state_dict(like, content["state"])
    return state._replace(step=int(state.step)), curve
