"""How is one small network trained, resumably?"""

import dataclasses
import inspect
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import numpy as np
from absl import logging
from etils import epath
from flax import serialization

from biases_jax.miniature import augmentation, batches, network, objectives, steps
from biases_jax.miniature.classes import KINDS
from biases_jax.miniature.recipes import Recipe
from biases_jax.miniature.steps import State, Trees
from biases_jax.models import ops
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from biases_jax.sharding import Spread

KEPT_EVERY = 200  # steps; a kill costs no more
REPORTED_EVERY = 100
# Whose code says what a step does: a state of other code is another training's.
_CODE = (augmentation, batches, network, objectives, steps)


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

    Batches are functions of the recipe's name and the step, and draws of these and the
    number of devices, so that a training that was killed goes on as if it had not been.
    The result depends on the number of devices, too: each norm sees a part of the
    batch.

    Args:
        recipe: to follow.
        sets: its training sets by name, uint8; image i is of class i modulo 16.
        spread: over the devices; a batch norm sees its device's part of the batch.
        start: variables of the recipe that this one starts from, None for none.
        folder: where the state is kept.

    Raises:
        ValueError: the state that is kept there is that of another recipe, of other
            code, images or start, or of another number of devices.
    """
    folder.mkdir(parents=True, exist_ok=True)
    net, count = small_network(), recipe.samples // batches.BATCH
    optimizer = steps.optimizer_of(recipe, count)
    state = steps.first_state(recipe, net, start, optimizer)
    kept, curve = folder / f"{recipe.name}.state", []
    about = described(recipe, sets, start, len(spread.devices))
    if kept.exists():
        state, curve = _restored(kept, state, about)
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
            _keep(kept, state, curve, about)
    variables = {"params": state.params["network"], "batch_stats": state.statistics}
    return jax.device_get(variables), curve


def described(
    recipe: Recipe, sets: Mapping[str, np.ndarray], start: Trees | None, devices: int
) -> dict[str, Any]:
    """Return all that makes a training what it is; arguments as in `train`.

    Images stand for their sets by the first one, functions by their modules' source.
    """
    fields = dataclasses.asdict(recipe) | {"augment": recipe.augment.__name__}
    images = {name: (len(sets[name]), _sum(sets[name][0])) for name in recipe.sets}
    return {
        "recipe": repr(fields),
        "code": _sum(*(inspect.getsource(m).encode() for m in _CODE)),
        "images": repr(images),
        "start": _sum(*jax.tree.leaves(start)),
        "devices": devices,
    }


def _sum(*parts: Any) -> int:
    total = 0
    for part in parts:
        total = zlib.crc32(part if isinstance(part, bytes) else part.tobytes(), total)
    return total


def _keep(
    path: epath.Path, state: State, curve: list[Curve], about: dict[str, Any]
) -> None:
    content = {
        "about": about,
        "state": serialization.to_state_dict(jax.device_get(state)),
        "curve": [list(point) for point in curve],
    }
    part = path.with_suffix(".part")
    part.write_bytes(serialization.msgpack_serialize(content))
    part.replace(path)


def _restored(
    path: epath.Path, like: State, about: dict[str, Any]
) -> tuple[State, list[Curve]]:
    content = serialization.msgpack_restore(path.read_bytes())
    was = content.get("about", {})
    other = [key for key, value in about.items() if was.get(key) != value]
    if other:
        raise ValueError(
            f"{path}: got the state of a training with other {', '.join(other)} (it had"
            f" {was.get('devices')} devices), expected those of now, with "
            f"{about['devices']} devices; remove the file, train in another folder "
            "(--work), or go on with what it began with"
        )
    curve = [Curve(int(at), *map(float, means)) for at, *means in content["curve"]]
    state = serialization.from_state_dict(like, content["state"])
    return state._replace(step=int(state.step)), curve
