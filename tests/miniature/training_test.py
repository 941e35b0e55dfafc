"""Does a training that was killed go on as if it had not been?"""

import dataclasses
import inspect

import jax
import numpy as np
import pytest
import shipped_networks
from etils import epath

from biases_jax import sharding
from biases_jax.attacks.pgd import PGD
from biases_jax.miniature import augmentation, batches, training
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
    steps = []

    def compiled_once(*arguments):
        steps.append(step_of(*arguments))
        return steps[0]

    step_of = training.steps.step_of
    monkeypatch.setattr(training.steps, "step_of", compiled_once)
    start = shipped_networks.variables("baseline")
    whole, curve = training.train(
        recipe("a", 3), SETS, spread, start, epath.Path(tmp_path / "whole")
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
        training.train(recipe("a", 3), SETS, spread, start, folder)
    monkeypatch.setattr(batches, "batches", unchanged)
    again, _ = training.train(recipe("a", 3), SETS, spread, start, folder)
    jax.tree.map(np.testing.assert_array_equal, again, whole)


def changed_leaves(before, after):
    same = jax.tree.map(np.array_equal, before["params"], after["params"])
    return {
        "/".join(entry.key for entry in path)
        for path, equal in jax.tree_util.tree_leaves_with_path(same)
        if not equal
    }


def test_recipes_train_what_they_say(tmp_path, spread):
    start = shipped_networks.variables("baseline")
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


def test_states_of_other_trainings_are_refused(tmp_path):
    start = shipped_networks.variables("baseline")

    def train(steps, devices):
        spread = sharding.spread("shard_map", jax.devices()[:devices])
        training.train(recipe("a", steps), SETS, spread, start, epath.Path(tmp_path))

    of = recipe("a", 1)
    optimizer = training.steps.optimizer_of(of, 1)
    state = training.steps.first_state(of, training.small_network(), start, optimizer)
    about = training.described(of, SETS, start, 2)
    # The one step is done, so that the right training has nothing left to do.
    training._keep(epath.Path(tmp_path / "a.state"), state._replace(step=1), [], about)
    with pytest.raises(ValueError, match=r"a\.state: got the state .* other recipe "):
        train(2, 2)
    with pytest.raises(ValueError, match="other devices .it had 2 devices.*with 4 dev"):
        train(1, 4)
    train(1, 2)


def test_a_training_is_what_can_change_its_result(monkeypatch):
    def described(of=None, sets=SETS, start=None, devices=2):
        return training.described(of or recipe("a", 1), sets, start, devices)

    def other(found):
        return [key for key, value in described().items() if found[key] != value]

    start = {"params": {"kernel": np.ones(3, np.float32)}}
    moved = {"params": {"kernel": np.full(3, 2, np.float32)}}
    assert other(described()) == []
    assert other(described(recipe("a", 1, peak=1e-3))) == ["recipe"]
    assert other(described(recipe("a", 1, attack=PGD(0.1, 0.1, 2)))) == ["recipe"]
    blurred = recipe("a", 1, augment=augmentation.low_pass)
    assert other(described(blurred)) == ["recipe"]
    assert other(described(sets={"natural": 255 - IMAGES})) == ["images"]
    assert other(described(sets={"natural": IMAGES[:32]})) == ["images"]
    assert other(described(start=start)) == ["start"]
    assert described(start=start)["start"] != described(start=moved)["start"]
    assert other(described(devices=1)) == ["devices"]


@pytest.mark.parametrize(
    "module", ["augmentation", "batches", "network", "objectives", "steps"]
)
def test_other_code_of_a_step_is_another_training(module, monkeypatch):
    before = training.described(recipe("a", 1), SETS, None, 2)
    source = inspect.getsource

    def edited(asked):
        changed = asked.__name__.endswith(f".{module}")
        return source(asked) + ("# edited" if changed else "")

    monkeypatch.setattr(inspect, "getsource", edited)
    after = training.described(recipe("a", 1), SETS, None, 2)
    assert [key for key in before if before[key] != after[key]] == ["code"]
