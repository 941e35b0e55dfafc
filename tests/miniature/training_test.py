"""Does a training that was killed go on as if it had not been?"""

import dataclasses
import inspect

import jax
import numpy as np
import pytest
import shipped_networks
from etils import epath
from flax import traverse_util

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


@pytest.fixture
def compiled_once(monkeypatch):
    """Let trainings of one test share their compiled step."""
    steps, step_of = [], training.steps.step_of

    def first(*arguments):
        steps.append(step_of(*arguments))
        return steps[0]

    monkeypatch.setattr(training.steps, "step_of", first)


@pytest.fixture
def seen_only(monkeypatch):
    """Let a step only move all parameters, by what it sees and which step it is."""

    def step_of(*arguments):
        def step(state, images, classes):
            change = (state.step + 1) * float(images.mean() + classes @ np.arange(64))
            params = jax.tree.map(lambda leaf: leaf + change, state.params)
            after = state._replace(step=state.step + 1, params=params)
            return after, np.float32(change), np.float32(0)

        return step

    monkeypatch.setattr(training.steps, "step_of", step_of)


@pytest.mark.parametrize(
    "step", ["seen_only", pytest.param("compiled_once", marks=pytest.mark.slow)]
)
def test_killed_training_goes_on_as_if_it_had_not_been(
    step, tmp_path, spread, monkeypatch, request
):
    request.getfixturevalue(step)
    monkeypatch.setattr(training, "KEPT_EVERY", 2)
    start = shipped_networks.variables("baseline")

    def train(folder):
        rest = (SETS, spread, start, epath.Path(tmp_path / folder))
        return training.train(recipe("a", 3), *rest)

    whole, curve = train("whole")
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
    with pytest.raises(KeyboardInterrupt):
        train("killed")
    monkeypatch.setattr(batches, "batches", unchanged)
    again, _ = train("killed")
    jax.tree.map(np.testing.assert_array_equal, again, whole)
    assert changed_leaves(start, whole)


def changed_leaves(before, after):
    same = jax.tree.map(np.array_equal, before["params"], after["params"])
    return {
        "/".join(entry.key for entry in path)
        for path, equal in jax.tree_util.tree_leaves_with_path(same)
        if not equal
    }


LEAVES = {
    "conv1/kernel": (7, 7, 3, 2),
    "bn1/scale": (2,),
    "layer1_0/conv1/kernel": (1, 1, 2, 2),
    "layer1_0/conv2/kernel": (3, 3, 2, 2),
    "layer1_0/bn2/bias": (2,),
    "fc/kernel": (2, 16),
    "fc/bias": (16,),
}


@pytest.mark.parametrize(
    ("name", "still"),
    [
        ("baseline", set()),
        ("frozen", {"layer1_0/conv2/kernel"}),
        ("contrastive", set(LEAVES) - {"fc/kernel", "fc/bias"}),
    ],
)
def test_the_optimiser_moves_what_the_recipe_trains(name, still):
    ones = {path: np.ones(shape, np.float32) for path, shape in LEAVES.items()}
    params = {"network": traverse_util.unflatten_dict(ones, sep="/")}
    optimizer = training.steps.optimizer_of(RECIPES[name], 10)
    changes, _ = optimizer.update(params, optimizer.init(params), params)
    flat = traverse_util.flatten_dict(changes["network"], sep="/")
    assert {path for path in flat if not np.any(flat[path])} == still
    assert set(flat) == set(LEAVES)


@pytest.mark.slow
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
