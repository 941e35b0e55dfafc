"""Are trees written whole, once, and from their arguments alone?"""

import concurrent.futures
import pathlib
import shutil
import time

import filelock
import pytest
from etils import epath

from biases_jax.miniature import encoding, presence, trees, visibility, world

# Their programs are one of 256 pixels and that of silhouettes.
FEW = ("imagenet", "imagenet_r", "model_vs_human/silhouette")


def write(folder, per_class=2, only=FEW, **arguments):
    trees.write(epath.Path(folder), per_class, only=only, **arguments)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    write(folder)
    return folder


def files(root: pathlib.Path):
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def test_the_trees_depend_on_the_seed_alone(tmp_path, root):
    again, other = tmp_path / "again", tmp_path / "other"
    # In another order and company.
    write(again, only=("imagenet_r",))
    write(again, only=("*/silhouette",))
    write(again)
    assert files(again) == files(root)
    write(other, seed=1)
    assert files(other).keys() == files(root).keys()
    assert not [
        place for place, data in files(other).items() if data == files(root)[place]
    ]


def test_a_second_call_draws_nothing(root, monkeypatch):
    def refuse(*arguments):
        raise AssertionError("drew again")

    before = {path: path.stat().st_mtime_ns for path in root.rglob("[!.]*")}
    monkeypatch.setattr(world, "draw", refuse)
    monkeypatch.setattr(visibility, "seen", refuse)
    write(root)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("[!.]*")} == before


class Killed(BaseException):
    """Stands for a kill in the middle of a tree."""


def test_what_a_killed_run_left_is_finished_by_the_next(tmp_path, root, monkeypatch):
    encoded = encoding.encoded

    def torn(picture, path, quality):
        if path.endswith("art_1.jpg"):
            raise Killed
        return encoded(picture, path, quality)

    monkeypatch.setattr(encoding, "encoded", torn)
    with pytest.raises(Killed):
        write(tmp_path)
    assert (tmp_path / "imagenet/val/dataset.json").exists()
    assert not (tmp_path / "imagenet-r").exists()
    assert list((tmp_path / "imagenet-r.part").rglob("art_0.jpg"))
    (tmp_path / "imagenet-r.part/stray.jpg").write_bytes(b"half an ima")
    monkeypatch.setattr(encoding, "encoded", encoded)
    write(tmp_path)
    assert files(tmp_path) == files(root)


def test_lost_real_labels_are_written_again(tmp_path):
    write(tmp_path, 1, only=("imagenet",))
    before = files(tmp_path)
    (tmp_path / "real.json").unlink()
    write(tmp_path, 1, only=("imagenet",))
    assert files(tmp_path) == before


def test_a_tree_of_other_arguments_is_refused(tmp_path):
    only = ("imagenet_r",)
    write(tmp_path, 1, only)
    for changed in ({"per_class": 2}, {"per_class": 1, "seed": 1}):
        with pytest.raises(ValueError, match="another set .*imagenet-r.*remove it"):
            write(tmp_path, only=only, **changed)
    (tmp_path / "imagenet-r/dataset.json").unlink()
    with pytest.raises(ValueError, match="another set"):
        write(tmp_path, 1, only)


@pytest.mark.parametrize("lost", ["digest", "images"])
def test_lists_of_valid_classes_never_outlive_their_images(tmp_path, lost):
    """Lists of another draw would score these images silently."""
    only = ("imagenet",)
    write(tmp_path, 1, only)
    if lost == "digest":
        (tmp_path / presence.REASSESSED).unlink()
    else:
        shutil.rmtree(tmp_path / "imagenet")
    with pytest.raises(ValueError, match="another set in .*real.json"):
        write(tmp_path, 1 if lost == "digest" else 2, only)
    (tmp_path / "real.json").unlink()
    write(tmp_path, 1 if lost == "digest" else 2, only)
    write(tmp_path, 1 if lost == "digest" else 2, only)


def test_a_process_that_waits_for_another_one_says_so(tmp_path, caplog):
    caplog.set_level("INFO", logger="absl")
    lock = filelock.FileLock(str(tmp_path / ".writing.lock"))
    only = ("model_vs_human/silhouette",)
    with lock, concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(write, tmp_path, 1, only)
        deadline = time.monotonic() + 60
        while "waiting for it" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not waiting.done()
        lock.release()
        waiting.result()
    assert "another process draws into" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"per_class": 0}, "got 0 images of a class"),
        ({"per_class": 51}, "got 51 images of a class .* expected 1 to 50"),
        ({"per_class": 1, "pairs": 0}, "0 of a pair"),
        ({"per_class": 1, "scenes": 0}, "0 scenes"),
        ({"per_class": 1, "conditions": 1}, "1 conditions, .*2 or more"),
        ({"per_class": 1, "only": ("imagenet_x",)}, "pattern 'imagenet_x'"),
    ],
)
def test_arguments_out_of_range_are_refused_before_anything_is_written(
    tmp_path, arguments, message
):
    with pytest.raises(ValueError, match=message):
        write(tmp_path / "data", **arguments)
    assert not (tmp_path / "data").exists()


def test_a_refused_pattern_is_answered_with_names_and_not_with_a_whole_grid(tmp_path):
    with pytest.raises(ValueError, match="imagenet_c/") as raised:
        write(tmp_path, only=("fog",))
    assert str(raised.value).count("imagenet_c/*") == 1
    assert str(raised.value).count("imagenet_c") == 2  # and imagenet_cbar/*
