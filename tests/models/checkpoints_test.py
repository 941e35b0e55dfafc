"""Do variables come back bit for bit, on any devices, or not at all?"""

import logging
import os
import pathlib
import shutil
import subprocess
import sys

import jax
import numpy as np
import pytest
from etils import epath
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from biases_jax.models import checkpoints, orbax_arrays, zoo
from convert import mapping

ROOT = pathlib.Path(__file__).parents[2]
WIDTH, CLASSES = 8, 16  # so that the last axis of every leaf splits into 8
MANIFEST = {"model": "small", "width": WIDTH}


@pytest.fixture(scope="module")
def tree():
    generator = np.random.default_rng(0)
    state = {
        name: generator.random(leaf.shape, np.float32)
        for name, leaf in mapping.leaves(WIDTH, CLASSES).items()
    }
    return mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "small"


def layouts(tree, count):
    """Split the last axis over `count` devices; mean and std are on each."""
    mesh = Mesh(np.array(jax.devices()[:count]), ("d",))

    def layout(leaf):
        axes = [None] * (leaf.ndim - 1) + ["d" if leaf.shape[-1] % 8 == 0 else None]
        return NamedSharding(mesh, PartitionSpec(*axes))

    return jax.tree.map(layout, tree)


def assert_equal(found, expected):
    def check(a, b):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))

    jax.tree.map(check, found, expected)


@pytest.mark.parametrize("count", [None, 1, 8])
def test_variables_saved_from_4_devices_are_restored_on_any(tree, folder, count):
    split = jax.device_put(tree, layouts(tree, 4))
    assert len(split["params"]["fc"]["kernel"].sharding.device_set) == 4
    checkpoints.save(folder, split, MANIFEST)
    assert_equal(checkpoints.load_unfolded(folder), tree)
    expected = checkpoints.fold(tree)
    if count is None:
        found = checkpoints.load(folder)
        assert {type(leaf) for leaf in jax.tree.leaves(found)} == {np.ndarray}
    else:
        found = checkpoints.load(folder, sharding=layouts(expected, count))
        kernel = found["params"]["fc"]["kernel"]
        assert len(kernel.sharding.device_set) == count
        assert kernel.addressable_shards[0].data.shape[-1] == CLASSES // count
    assert_equal(found, expected)


def test_relative_folders_will_do(tree, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checkpoints.save("runs/small", tree, MANIFEST)
    assert_equal(checkpoints.load_unfolded("runs/small"), tree)


def test_folders_in_buckets_are_passed_on_as_they_are():
    folder = epath.Path("gs://bucket/small/arrays")
    assert orbax_arrays._absolute(folder) == folder


def test_a_failed_save_leaves_nothing(folder):
    with pytest.raises(TypeError):
        checkpoints.save(folder, {"a": np.ones(3)}, {"not for JSON": object()})
    assert list(folder.parent.iterdir()) == []


def test_leaves_are_cast_after_folding(tree, folder):
    checkpoints.save(folder, tree, MANIFEST)
    found = checkpoints.load(folder, dtype=np.float64)
    assert_equal(found, checkpoints.fold(tree, np.float64))


def test_the_manifest_is_kept_with_the_sum_of_the_weights(tree, folder):
    written = checkpoints.save(folder, tree, MANIFEST)
    expected = {**MANIFEST, "weights_sha256": checkpoints.weights_sha256(tree)}
    assert written == checkpoints.read_manifest(folder) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda leaf: leaf + np.float32(1e-7),
        lambda leaf: leaf.astype(np.float64),
        lambda leaf: leaf.reshape(4, 4),
        lambda leaf: leaf[::-1],
    ],
)
def test_the_sum_tells_values_types_shapes_and_order(tree, change):
    params = tree["params"]
    fc = {**params["fc"], "bias": change(params["fc"]["bias"])}
    changed = {**tree, "params": {**params, "fc": fc}}
    first = checkpoints.weights_sha256(tree)
    assert checkpoints.weights_sha256(changed) != first
    assert checkpoints.weights_sha256(dict(reversed(tree.items()))) == first
    split = jax.device_put(tree, layouts(tree, 8))
    assert checkpoints.weights_sha256(split) == first


def test_arrays_of_another_model_are_refused(tree, folder, tmp_path):
    checkpoints.save(folder, tree, MANIFEST)
    other = {**tree, "normalize": {"mean": np.zeros(3), "std": np.ones(3)}}
    checkpoints.save(tmp_path / "other", other, MANIFEST)
    shutil.rmtree(folder / "arrays")
    shutil.copytree(tmp_path / "other/arrays", folder / "arrays")
    with pytest.raises(ValueError, match="expected .* as in manifest.json"):
        checkpoints.load(folder)


def test_a_missing_checkpoint_says_how_to_make_it(folder):
    assert not checkpoints.is_complete(folder)
    for function in (checkpoints.read_manifest, checkpoints.load):
        with pytest.raises(FileNotFoundError, match="python -m convert"):
            function(folder)


def test_a_save_replaces_the_former_and_leaves_nothing_else(tree, folder):
    checkpoints.save(folder, {**tree, "normalize": {"mean": np.ones(3)}}, MANIFEST)
    checkpoints.save(folder, tree, MANIFEST)
    assert_equal(checkpoints.load_unfolded(folder), tree)
    assert [path.name for path in folder.parent.iterdir()] == ["small"]


def test_the_same_save_by_another_process_is_kept(tree, folder):
    checkpoints.save(folder, tree, MANIFEST)
    first = folder.stat().st_ino
    checkpoints.save(folder, tree, MANIFEST)
    assert folder.stat().st_ino == first
    assert [path.name for path in folder.parent.iterdir()] == ["small"]


@pytest.mark.parametrize("before", [False, True])
def test_the_save_that_another_job_finishes_meanwhile_stays(
    tree, folder, monkeypatch, before
):
    """The other job saves just after this one looked whether it did."""
    if before:
        checkpoints.save(folder, {**tree, "normalize": {"mean": np.ones(3)}}, MANIFEST)
    places = []
    read = checkpoints.read_manifest

    def late(path):
        monkeypatch.setattr(checkpoints, "read_manifest", read)
        checkpoints.save(folder, tree, MANIFEST)
        places.append(folder.stat().st_ino)
        raise FileNotFoundError

    monkeypatch.setattr(checkpoints, "read_manifest", late)
    checkpoints.save(folder, tree, MANIFEST)
    assert places == [folder.stat().st_ino]
    assert_equal(checkpoints.load_unfolded(folder), tree)
    assert [path.name for path in folder.parent.iterdir()] == ["small"]


@pytest.mark.parametrize("same", [True, False])
def test_a_lost_race_is_an_error_only_if_the_winner_is_another(
    tree, folder, monkeypatch, same
):
    """The other job saves while the place is empty, its former content aside."""
    checkpoints.save(folder, {**tree, "normalize": {"mean": np.zeros(3)}}, MANIFEST)
    won = tree if same else {**tree, "normalize": {"mean": np.ones(3)}}
    read = checkpoints.read_manifest

    def late(path):
        if path.name.endswith(".former"):
            monkeypatch.setattr(checkpoints, "read_manifest", read)
            checkpoints.save(folder, won, MANIFEST)
        return read(path)

    monkeypatch.setattr(checkpoints, "read_manifest", late)
    if same:
        checkpoints.save(folder, tree, MANIFEST)
    else:
        with pytest.raises(OSError):
            checkpoints.save(folder, tree, MANIFEST)
    assert checkpoints.read_manifest is read  # so the other job did save
    assert_equal(checkpoints.load_unfolded(folder), won)
    assert [path.name for path in folder.parent.iterdir()] == ["small"]


KILLED = """
import os, signal, sys
import numpy as np
from biases_jax.models import checkpoints

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

# The last step before a save looks finished: without it, there is no manifest yet.
if sys.argv[2] == "before the rename":
    checkpoints._publish = die
else:
    checkpoints.json.dumps = die
checkpoints.save(sys.argv[1], {"params": {"a": np.ones(3)}}, {})
"""


@pytest.mark.parametrize("moment", ["before the rename", "before the manifest"])
def test_a_killed_save_does_not_look_finished(tree, folder, moment):
    command = [sys.executable, "-c", KILLED, str(folder), moment]
    assert subprocess.run(command, cwd=ROOT).returncode == -9
    assert not checkpoints.is_complete(folder)
    checkpoints.save(folder, tree, MANIFEST)
    assert_equal(checkpoints.load_unfolded(folder), tree)


def test_only_the_first_of_linked_processes_saves(tree, folder, monkeypatch):
    monkeypatch.setattr(jax, "process_index", lambda: 1)
    with pytest.raises(RuntimeError, match="in the first one only"):
        checkpoints.save(folder, tree, MANIFEST)
    assert not folder.parent.joinpath("small").exists()


def test_orbax_is_not_heard(tree, folder):
    records = []
    handler = logging.Handler()
    handler.emit = records.append
    logger = logging.getLogger("absl")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        checkpoints.save(folder, tree, MANIFEST)
        checkpoints.load(folder)
        assert records == []
        logger.info("ours")
        assert [record.getMessage() for record in records] == ["ours"]
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def test_what_killed_saves_left_is_removed_a_day_later(tree, folder):
    old = folder.parent / f".{folder.name}.0123.part"
    young = folder.parent / f".{folder.name}.4567.part"
    another = folder.parent / ".another.0123.part"
    for leftover in (old, young, another):
        (leftover / "arrays").mkdir(parents=True)
    for leftover in (old, another):
        os.utime(leftover, (0, 0))
    checkpoints.save(folder, tree, MANIFEST)
    assert [p.exists() for p in (old, young, another)] == [False, True, True]


def test_no_space_is_told_before_anything_is_written(tree, folder, monkeypatch):
    usage = shutil.disk_usage(folder.parent.parent)._replace(free=2**20)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(OSError, match="no space left in .*got 1 MB"):
        checkpoints.save(folder, tree, MANIFEST)
    assert list(folder.parent.iterdir()) == []


def test_a_save_without_its_arrays_is_none(tree, folder):
    checkpoints.save(folder, tree, MANIFEST)
    shutil.rmtree(folder / checkpoints.ARRAYS)
    assert not checkpoints.is_complete(folder)


def test_a_manifest_is_replaced_at_once(tree, folder):
    manifest = checkpoints.save(folder, tree, MANIFEST)
    changed = checkpoints.rewrite_manifest(folder, {**manifest, "note": 1})
    assert checkpoints.read_manifest(folder) == changed == {**manifest, "note": 1}
    assert sorted(p.name for p in folder.iterdir()) == ["arrays", "manifest.json"]
    checkpoints.load(folder)
