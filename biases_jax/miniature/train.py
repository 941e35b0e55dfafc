"""Train the small networks: `python -m biases_jax.miniature.train --all`."""

import os
import time
from collections.abc import Mapping, Sequence

import jax
import numpy as np
from absl import app, flags, logging
from etils import epath

from biases_jax import labels, sharding
from biases_jax.miniature import classes, export, training, training_set, world
from biases_jax.miniature.recipes import RECIPES, Recipe
from biases_jax.miniature.settings import TEST
from biases_jax.models import resnet

VALIDATION = 512  # images
VALIDATION_SEED = 103  # of no set that is trained on or measured
_AT_A_TIME = 64

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
    logging.set_verbosity(logging.INFO)
    if len(argv) > 1:
        raise app.UsageError(f"got {argv[1:]}, expected --all or --recipes=...")
    asked = _asked(RECIPES, _ALL.value, _RECIPES.value)
    work, out = (epath.Path(f.value).expanduser() for f in (_WORK, _NETWORKS))
    written = train(asked, RECIPES, work, out)
    print(
        f"{out}: trained {', '.join(written)}"
        if written
        else f"{out}: nothing to do, all of {', '.join(asked)} are there; remove a "
        "file to train it again"
    )


def _asked(
    recipes: Mapping[str, Recipe], everything: bool, names: Sequence[str]
) -> list[str]:
    """Return the names of the networks that the flags ask for."""
    shipping = [name for name, recipe in recipes.items() if recipe.ships]
    if everything and names:
        raise app.UsageError(f"got both --all and --recipes={','.join(names)}")
    if not everything and not names:
        raise app.UsageError(f"got no recipe, expected --all or {_some(shipping)}")
    wrong = [name for name in names if name not in shipping]
    starts = [f"{name} is only a start of others" for name in wrong if name in recipes]
    if wrong:
        said = ", ".join(wrong) + (f" ({', '.join(starts)})" if starts else "")
        raise app.UsageError(f"got {said}, expected {_some(shipping)}")
    return shipping if everything else list(dict.fromkeys(names))


def _some(names: Sequence[str]) -> str:
    return f"--recipes= with some of {', '.join(names)}"


def train(
    asked: Sequence[str],
    recipes: Mapping[str, Recipe],
    work: epath.Path,
    out: epath.Path,
) -> list[str]:
    """Train the networks that are missing; return the names of those written.

    Args:
        asked: names of recipes whose networks ship.
        recipes: all recipes by name, also those that are only starts.
        work: folder of the training sets and states.
        out: folder of the networks.
    """
    written = []
    for name in asked:
        if not _network(name, out).exists():
            _train(recipes[name], recipes, work, out, written)
    return written


def _train(
    recipe: Recipe,
    recipes: Mapping[str, Recipe],
    work: epath.Path,
    out: epath.Path,
    written: list[str],
) -> training.Trees:
    """Train by a recipe, and before by the one it starts from; return the variables."""
    start = None
    if recipe.start:
        start = _train(recipes[recipe.start], recipes, work, out, written)
    sets = {name: training_set.images(name, work) for name in recipe.sets}
    spread = sharding.spread("shard_map")
    began = time.monotonic()
    variables, curve = training.train(recipe, sets, spread, start, work)
    logging.info("%s: %.0f s", recipe.name, time.monotonic() - began)
    if recipe.ships and not _network(recipe.name, out).exists():
        right = accuracy(export.state_dict(variables))
        logging.info("%s: %.3f of the validation scenes", recipe.name, right)
        export.write(recipe, variables, curve, right, out)
        written.append(recipe.name)
    return variables


def _network(name: str, out: epath.Path) -> epath.Path:
    return out / f"{name}.safetensors"


def accuracy(state: Mapping[str, np.ndarray], count: int = VALIDATION) -> float:
    """Return the share of right answers to fresh scenes, of a file as it ships.

    Args:
        state: the file's tensors, float16, by PyTorch's names.
        count: of the scenes, a multiple of 64.
    """
    drawn = world.draw(VALIDATION_SEED, np.arange(count), TEST)
    weights = export.folded(state)
    width = state["conv1.weight"].shape[0]
    answers = jax.jit(resnet.apply_function(width, len(labels.WNIDS), stem_stride=4))
    images = drawn.images.astype(np.float32) / 255
    parts = np.split(images, count // _AT_A_TIME)
    found = np.concatenate([answers(weights, part).argmax(1) for part in parts])
    return float((found == np.array(classes.INDICES)[drawn.kinds]).mean())


if __name__ == "__main__":
    sharding.use_cores(2)
    app.run(main)
