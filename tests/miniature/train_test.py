"""Does the command train what is missing, in order, and say so where it does not?"""

import functools
import json
import pathlib

import jax
import numpy as np
import pytest
import shipped_networks
from absl import app, flags
from absl.testing import flagsaver
from etils import epath

from biases_jax import labels
from biases_jax.miniature import (
    batches,
    classes,
    network,
    study,
    train,
    training,
    training_set,
    world,
)
from biases_jax.miniature.recipes import RECIPES, Recipe
from biases_jax.miniature.settings import TEST
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from convert import mapping, safetensors_file

TINY = batches.BATCH  # images of one step
ROWS = {
    "leaf": Recipe("leaf", samples=TINY, start="middle"),
    "middle": Recipe("middle", samples=TINY, start="root", ships=False),
    "root": Recipe("root", samples=TINY),
    "other": Recipe("other", samples=TINY),
}


@pytest.fixture
def trained(monkeypatch):
    """A list of (recipe, name of its start), for trainings that take no time."""
    calls = []

    def quick(recipe, sets, spread, start, folder):
        assert set(sets) == set(recipe.sets) and len(spread.devices) == 8
        calls.append((recipe.name, start and start["name"]))
        return {**shipped_networks.variables("noise"), "name": recipe.name}, [
            training.Curve(1, 2.5, 0.25)
        ]

    monkeypatch.setattr(training, "train", quick)
    monkeypatch.setattr(training_set, "images", lambda name, folder: name)
    monkeypatch.setattr(train, "accuracy", lambda state: 0.125)
    return calls


@pytest.fixture
def folders(tmp_path):
    return epath.Path(tmp_path / "work"), epath.Path(tmp_path / "out")


def test_recipes_follow_those_that_they_start_from(trained, folders):
    assert train.train(["leaf", "other"], ROWS, *folders) == ["root", "leaf", "other"]
    starts = [("root", None), ("middle", "root"), ("leaf", "middle")]
    assert trained == [*starts, ("other", None)]
    names = {"leaf", "root", "other"}  # the middle one does not ship
    assert {path.stem for path in folders[1].iterdir()} == names


def test_networks_that_are_there_are_neither_trained_nor_written(trained, folders):
    out = folders[1]
    out.mkdir()
    (out / "root.safetensors").write_text("there")
    assert train.train(["root", "leaf"], ROWS, *folders) == ["leaf"]
    # The leaf starts from what the root's training kept, so that is asked for again.
    assert [name for name, _ in trained] == ["root", "middle", "leaf"]
    assert (out / "root.safetensors").read_text() == "there"
    trained.clear()
    assert train.train(["root", "leaf"], ROWS, *folders) == []
    assert trained == []


def written(path):
    return safetensors_file.read(pathlib.Path(path))


def test_the_log_tells_the_accuracy_of_what_is_written(trained, folders, monkeypatch):
    measured = []

    def accuracy(state):
        measured.append(state)
        return 0.375

    monkeypatch.setattr(train, "accuracy", accuracy)
    train.train(["other"], ROWS, *folders)
    state, metadata = written(folders[1] / "other.safetensors")
    log = json.loads(metadata["training"])
    assert log["validation_accuracy"] == 0.375 and log["curve"] == [[1, 2.5, 0.25]]
    (asked,) = measured
    assert set(asked) == set(state)
    for name, tensor in asked.items():
        assert tensor.dtype == np.float16
        np.testing.assert_array_equal(tensor, state[name])


@pytest.fixture
def command(trained, folders, monkeypatch):
    """Return `main` with flags, of the recipes above; it trains in no time."""
    monkeypatch.setattr(train, "RECIPES", ROWS)
    work, out = folders

    def main(*arguments):
        with flagsaver.flagsaver():
            rest = flags.FLAGS(["train", f"--work={work}", f"--networks={out}"])
            rest = flags.FLAGS([*rest, *arguments])
            train.main(rest)

    return main


def test_all_are_those_that_ship(command, folders, capsys):
    command("--all")
    assert capsys.readouterr().out == f"{folders[1]}: trained root, leaf, other\n"


def test_nothing_to_do_is_said(command, trained, folders, capsys):
    command("--recipes=other,root")
    capsys.readouterr()
    trained.clear()
    command("--recipes=other,root,other")
    assert trained == []
    said = f"{folders[1]}: nothing to do, all of other, root are there; remove a file"
    assert capsys.readouterr().out.startswith(said)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "got no recipe, expected --all or --recipes= with some of leaf, root"),
        (("--all", "--recipes=foo"), "got both --all and --recipes=foo"),
        (("--all", "--recipes=root"), "got both"),
        (("--recipes=root,foo",), "got foo, expected --recipes= with some of leaf, ro"),
        (("--recipes=middle",), "got middle .middle is only a start of others., exp"),
        (("--all", "root"), "got .'root'., expected --all or --recipes="),
    ],
)
def test_what_cannot_be_meant_is_refused(command, trained, arguments, message):
    with pytest.raises(app.UsageError, match=message):
        command(*arguments)
    assert trained == []


def test_every_start_is_a_recipe_and_comes_before():
    order = list(RECIPES)
    for name, recipe in RECIPES.items():
        assert name == recipe.name
        assert not recipe.start or order.index(recipe.start) < order.index(name)
    starts = {recipe.start for recipe in RECIPES.values()}
    assert all(recipe.ships or name in starts for name, recipe in RECIPES.items())


def test_accuracy_is_that_of_the_files_network_and_classes():
    state, _ = shipped_networks.read("contrastive")
    drawn = world.draw(train.VALIDATION_SEED, np.arange(64), TEST)
    tree = mapping.to_flax(state, IMAGENET_MEAN, IMAGENET_STD)
    net = network.Trained(IMAGENET_MEAN, IMAGENET_STD, classes=len(labels.WNIDS))
    images = drawn.images.astype(np.float32) / 255
    logits, _ = jax.jit(functools.partial(net.apply, train=False))(tree, images)
    truth = np.array(classes.INDICES)[drawn.kinds]
    right = np.asarray(logits.argmax(1)) == truth
    assert 0.3 < right.mean() < 1
    assert train.accuracy(state, 64) == right.mean()
    moved = {**state, "fc.bias": np.roll(state["fc.bias"], 1)}
    assert train.accuracy(moved, 64) < 0.1  # other classes are never answered


def logged(name):
    return json.loads(shipped_networks.read(name)[1]["training"])["validation_accuracy"]


@pytest.mark.parametrize("name", ["baseline", "contrastive"])
def test_first_scenes_agree_with_the_figure_in_the_file(name):
    # Of 64 of the 512 images: four standard errors.
    error = 4 * np.sqrt(logged(name) * (1 - logged(name)) / 64)
    found = train.accuracy(shipped_networks.read(name)[0], 64)
    assert found == pytest.approx(logged(name), abs=error)


@pytest.mark.slow
@pytest.mark.parametrize("name", study.NETWORKS)
def test_figure_in_the_file_is_that_of_the_file(name):
    # Rounding may turn a level of a pixel elsewhere, and so two close decisions.
    found = train.accuracy(shipped_networks.read(name)[0])
    assert found == pytest.approx(logged(name), abs=2.1 / train.VALIDATION)


@pytest.mark.slow
def test_a_tiny_recipe_is_trained_written_and_measured(folders, monkeypatch):
    drawn = training_set.images
    monkeypatch.setattr(training_set, "images", lambda n, at: drawn(n, at, TINY))
    rows = {name: ROWS[name] for name in ("leaf", "middle", "root")}
    with jax.numpy_dtype_promotion("standard"):  # Optax mixes integers and floats
        assert train.train(["leaf"], rows, *folders) == ["root", "leaf"]
    log = json.loads(written(folders[1] / "leaf.safetensors")[1]["training"])
    assert log["samples"] == TINY and log["curve"][0][0] == 1
    assert 0 <= log["validation_accuracy"] < 0.5
