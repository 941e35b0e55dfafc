"""How is one small network trained, resumably?"""

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

import jax
import numpy as np
from absl import logging
from etils import epath
from flax import serialization

from biases_jax.miniature import batches, network, steps
from biases_jax.miniature.classes import KINDS
from biases_jax.miniature.recipes import Recipe
from biases_jax.miniature.steps import State, Trees
from biases_jax.models import ops
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from biases_jax.sharding import Spread

KEPT_EVERY = 200  # steps; a kill costs no more
REPORTED_EVERY = 100


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

    Raises:
        ValueError: the state that is kept there is that of another recipe.
    """
    folder.mkdir(parents=True, exist_ok=True)
    net, count = small_network(), recipe.samples // batches.BATCH
    optimizer = steps.optimizer_of(recipe, count)
    state = steps.first_state(recipe, net, start, optimizer)
    kept, curve = folder / f"{recipe.name}.state", []
    if kept.exists():
        state, curve = _restored(kept, state, recipe)
    step = steps.step_of(recipe, net, optimizer, spread)
    recent = []
    for images, classes in batches.batches(recipe, sets, state.step, count):
        state, loss, right = step(state, images, classes)
        recent.append((loss, right))
        if state.step % REPORTED_EVERY == 0 or state.step == count:
            means = np.mean(recent, axis=0).tolist()
            curve.append(Curve(state.step, *means))
            logging.info(
                "%s: step %d of %d, loss %.3f, right %.3f",
                recipe.name,
                state.step,
                count,
                *means,
            )
            recent = []
        if state.step % KEPT_EVERY == 0 or state.step == count:
            _keep(kept, state, curve, recipe)
    variables = {"params": state.params["network"], "batch_stats": state.statistics}
    return jax.device_get(variables), curve


def _keep(path: epath.Path, state: State, curve: list[Curve], recipe: Recipe) -> None:
    content = {
        "recipe": _described(recipe),
        "state": serialization.to_state_dict(jax.device_get(state)),
        "curve": [list(point) for point in curve],
    }
    part = path.with_suffix(".part")
    part.write_bytes(serialization.msgpack_serialize(content))
    part.replace(path)


def _restored(
    path: epath.Path, like: State, recipe: Recipe
) -> tuple[State, list[Curve]]:
    content = serialization.msgpack_restore(path.read_bytes())
    if content.get("recipe") != _described(recipe):
        raise ValueError(
            f"{path}: got the state of another recipe, expected that of {recipe.name} "
            "as it is now; remove the file, or train in another folder (--work)"
        )
    curve = [Curve(int(at), *map(float, means)) for at, *means in content["curve"]]
    state = serialization.from_state_dict(like, content["state"])
    return state._replace(step=int(state.step)), curve


def _described(recipe: Recipe) -> str:
    """Return all that makes a training what it is, in words."""
    fields = dataclasses.asdict(recipe)
    return repr({**fields, "augment": recipe.augment.__name__})
