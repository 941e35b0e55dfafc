"""Train the small networks: `python -m biases_jax.miniature.train --all`."""

import os
import time

import jax
import numpy as np
from absl import app, flags, logging
from etils import epath

from biases_jax import sharding
from biases_jax.miniature import export, training, training_set, world
from biases_jax.miniature.recipes import RECIPES, Recipe
from biases_jax.miniature.settings import TEST

VALIDATION = 512  # images
VALIDATION_SEED = 103  # of no set that is trained on or measured

_ALL = flags.DEFINE_bool("all", False, "train by all recipes")
_RECIPES = flags.DEFINE_list(
    "recipes", [], "or by these, and those that they start from"
)
_WORK = flags.DEFINE_string(
    "work", "~/.cache/biases_jax/miniature", "folder of the training sets and states"
)
_NETWORKS = flags.DEFINE_string(
    "networks", os.fspath(export.WEIGHTS), "folder of the trained networks"
)


def main(argv: list[str]) -> None:
    """Train what is missing, each recipe after the one that it starts from."""
    if len(argv) > 1:
        raise app.UsageError(f"got {argv[1:]}, expected --all or --recipes=...")
    names = list(RECIPES) if _ALL.value else _RECIPES.value
    unknown = [name for name in names if name not in RECIPES]
    if unknown or not names:
        raise app.UsageError(
            f"got recipes {unknown or 'none'}, expected --all or some of: "
            + ", ".join(RECIPES)
        )
    work, out = (epath.Path(f.value).expanduser() for f in (_WORK, _NETWORKS))
    for recipe in map(RECIPES.get, names):
        if recipe.ships and not _network(recipe, out).exists():
            _train(recipe, work, out)


def _train(recipe: Recipe, work: epath.Path, out: epath.Path) -> training.Trees:
    """Train by a recipe, and before by the one it starts from; return the variables."""
    start = None
    if recipe.start:
        start = _train(RECIPES[recipe.start], work, out)
    sets = {name: training_set.images(name, work) for name in recipe.sets}
    spread = sharding.spread("shard_map")
    began = time.monotonic()
    variables, curve = training.train(recipe, sets, spread, start, work)
    logging.info("%s: %.0f s", recipe.name, time.monotonic() - began)
    if recipe.ships and not _network(recipe, out).exists():
        right = accuracy(variables)
        logging.info("%s: %.3f of the validation scenes", recipe.name, right)
        export.write(recipe, variables, curve, right, out)
    return variables


def _network(recipe: Recipe, out: epath.Path) -> epath.Path:
    return out / f"{recipe.name}.safetensors"


def accuracy(variables: training.Trees) -> float:
    """Return the share of right answers to fresh scenes, by running statistics."""
    drawn = world.draw(VALIDATION_SEED, np.arange(VALIDATION), TEST)
    net = training.small_network()

    @jax.jit
    def answers(images):
        logits, _ = net.apply(variables, images.astype(np.float32) / 255, train=False)
        return logits.argmax(1)

    parts = np.split(drawn.images, VALIDATION // 64)
    found = np.concatenate([np.asarray(answers(part)) for part in parts])
    return float((found == drawn.kinds).mean())


if __name__ == "__main__":
    sharding.use_cores(2)
    app.run(main)
