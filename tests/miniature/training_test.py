"""Does a training that was killed go on as if it had not been?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from etils import epath

from biases_jax import sharding
from biases_jax.miniature import batches, training
from biases_jax.miniature.recipes import RECIPES, Recipe

IMAGES = np.random.default_rng(9).integers(0, 256, (64, 224, 224, 3), np.uint8)
SETS = {"natural": IMAGES}


@pytest.fixture(autouse=True)
def standard_promotion():
    """Optax's schedules mix integers and floats."""
    with jax.numpy_dtype_promotion("standard"):
        yield


@pytest.fixture(scope="module")
def spread():
    return sharding.spread("shard_map", jax.devices()[:2])


def recipe(name, steps, **changes):
    return Recipe(name, samples=steps * batches.BATCH, **changes)


def test_killed_training_goes_on_as_if_it_had_not_been(tmp_path, spread, monkeypatch):
    monkeypatch.setattr(training, "KEPT_EVERY", 2)
    whole, curve = training.train(
        recipe("a", 3), SETS, spread, None, epath.Path(tmp_path / "whole")
    )
    assert [point.step for point in curve] == [3]
    calls = []

    def killed_batches(*arguments):
        for part in unchanged(*arguments):
            calls.append(part)
            if len(calls) == 3:
                raise KeyboardInterrupt
            yield part

    unchanged = batches.batches
    monkeypatch.setattr(batches, "batches", killed_batches)
    folder = epath.Path(tmp_path / "killed")
    with pytest.raises(KeyboardInterrupt):
        training.train(recipe("a", 3), SETS, spread, None, folder)
    monkeypatch.setattr(batches, "batches", unchanged)
    again, _ = training.train(recipe("a", 3), SETS, spread, None, folder)
    jax.tree.map(np.testing.assert_array_equal, again, whole)


def changed_leaves(before, after):
    same = jax.tree.map(np.array_equal, before["params"], after["params"])
    return {
        "/".join(entry.key for entry in path)
        for path, equal in jax.tree_util.tree_leaves_with_path(same)
        if not equal
    }


def test_recipes_train_what_they_say(tmp_path, spread):
    images = jnp.zeros((1, 64, 64, 3))
    start = training.small_network().init(jax.random.key(1), images)
    head = dataclasses.replace(RECIPES["contrastive"], samples=batches.BATCH)
    after, _ = training.train(head, SETS, spread, start, epath.Path(tmp_path))
    assert changed_leaves(start, after) == {"fc/kernel", "fc/bias"}
    statistics = start["batch_stats"], after["batch_stats"]
    jax.tree.map(np.testing.assert_array_equal, *statistics)
    frozen = dataclasses.replace(RECIPES["frozen"], samples=batches.BATCH)
    after, _ = training.train(frozen, SETS, spread, start, epath.Path(tmp_path))
    changed = changed_leaves(start, after)
    assert "conv1/kernel" in changed and "layer3_1/conv1/kernel" in changed
    assert not any("conv2" in name for name in changed)


def test_state_of_another_recipe_is_refused(tmp_path, spread):
    folder = epath.Path(tmp_path)
    training.train(recipe("a", 1), SETS, spread, None, folder)
    with pytest.raises(ValueError, match="another recipe"):
        training.train(recipe("a", 2), SETS, spread, None, folder)
