"""Does an archive hold what was written, and is anything else refused?"""

import json
import pickle

import numpy as np
import pytest

from biases_jax.parity import images, reference, runs


def example(precisions=("float64", "bfloat16"), count=2):
    generator = np.random.default_rng(0)
    sizes = {"stem": (16 * 16 * 40, 40), "logits": (5, 5)}
    shapes = dict.fromkeys(runs.NAMES, (12, 3)) | sizes

    def run(precision):
        dtype = np.float64 if precision == "float64" else np.float32
        values = {
            name: runs.Values(generator.random((count, size)).astype(dtype), size, c)
            for name, (size, c) in shapes.items()
        }
        return runs.Run("jax", precision, values, {"device": "TPU v4"})

    labels = generator.integers(0, 5, count)
    found = {precision: run(precision) for precision in precisions}
    pixels = generator.random((count, 2, 2, 3)).astype(np.float32)
    names = tuple(f"{i}.png" for i in range(count))
    written = reference.Reference("a.b-c", "12ab", labels, found)
    return reference.Archive(images.Images(names, pixels), {"a.b-c": written})


def test_all_comes_back_but_for_what_is_thinned(tmp_path):
    archive = example()
    reference.write(tmp_path / "ref.npz", archive)
    found = reference.read(tmp_path / "ref.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["ref.npz"]
    assert found.images.names == archive.images.names
    assert found.images.sha256 == archive.images.sha256
    [ours], [theirs] = archive.references.values(), found.references.values()
    assert (theirs.name, theirs.weights_sha256) == ("a.b-c", "12ab")
    np.testing.assert_array_equal(theirs.labels, ours.labels)
    for precision, run in ours.runs.items():
        back = theirs.runs[precision]
        assert (back.title, back.about) == (run.title, run.about)
        for name, values in runs.thinned(run).values.items():
            np.testing.assert_array_equal(back.values[name].array, values.array)
            assert back.values[name][1:] == values[1:]
    stem = theirs.runs["float64"].values["stem"]
    assert stem.stride > 1 and stem.array.shape[1] <= runs.KEPT


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.9, 0.999])
def test_a_cut_archive_is_refused(tmp_path, kept):
    path = tmp_path / "ref.npz"
    reference.write(path, example())
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(
        ValueError, match="ref.npz: got no archive of --write_reference"
    ):
        reference.read(path)


def test_a_flipped_bit_is_refused(tmp_path):
    path = tmp_path / "ref.npz"
    reference.write(path, example())
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="write it again"):
        reference.read(path)


class Bomb:
    """Pickled as a call that leaves a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_pickled_objects_are_refused_and_not_run(tmp_path):
    path, trace = tmp_path / "ref.npz", tmp_path / "trace"
    np.savez(path, about=np.array([Bomb(trace)], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        reference.read(path)
    path.write_bytes(pickle.dumps(Bomb(trace)))
    with pytest.raises(ValueError, match="got no archive"):
        reference.read(path)
    assert not trace.exists()


def rewritten(path, change):
    """Change the arrays of an archive by name."""
    with np.load(path) as arrays:
        found = dict(arrays)
    change(found)
    np.savez(path, **found)


def about(arrays, **changes):
    described = json.loads(bytes(arrays["about"])) | changes
    arrays["about"] = np.frombuffer(json.dumps(described).encode(), np.uint8)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a: about(a, format="other"), "got format 'other', expected"),
        (lambda a: about(a, images=["1"]), r"images as float32 \[2, 2, 2, 3\]"),
        (lambda a: about(a, models=[{"name": "x"}]), "KeyError"),
        (lambda a: about(a, models=7), "TypeError"),
        (lambda a: a.pop("images"), "images is not a file"),
        (lambda a: a.update(images=a["images"].astype(np.uint8)), "images as uint8"),
        (lambda a: a.pop("0/bfloat16/stem"), "0/bfloat16/stem"),
        (
            lambda a: a.update({"0/float64/logits": a["0/float64/logits"][:, :4]}),
            r"0/float64/logits as float64 \[2, 4\], expected float64 beginning with",
        ),
        (
            lambda a: a.update({"0/labels": a["0/labels"].astype(float)}),
            "0/labels as float64",
        ),
    ],
)
def test_archives_that_hold_something_else_are_refused(tmp_path, change, message):
    path = tmp_path / "ref.npz"
    reference.write(path, example())
    rewritten(path, change)
    with pytest.raises(ValueError, match=message):
        reference.read(path)


def described(arrays, precision=None, runs_too=True, **stages):
    """Say something else of the first run; None leaves a stage out."""
    [model] = json.loads(bytes(arrays["about"]))["models"]
    run = model["runs"][0]
    run["precision"] = precision or run["precision"]
    known = run["stages"] | stages
    run["stages"] = {name: sizes for name, sizes in known.items() if sizes}
    about(arrays, models=[model | ({} if runs_too else {"runs": []})])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"precision": "half"}, "got precision 'half', expected one of float64,"),
        ({"pooled": None}, r"float64 without \['pooled'\] and with \[\]"),
        ({"layer9_0": [4, 2, 1]}, r"and with \['layer9_0'\]"),
        ({"stem": [0, 40, 1]}, r"stride \[0, 40, 1\] of float64 stem"),
        ({"stem": [10240, 40, 0]}, r"stride \[10240, 40, 0\] of float64 stem"),
        ({"stem": [10240, 39, 3]}, "a multiple of the channels"),
        ({"logits": [5, 5, 7]}, "at least the stride"),
        ({"logits": [5, 5]}, "expected three positive integers"),
        ({"gradient": [24, 3, 1]}, "24 values of gradient, expected 12"),
        ({"runs_too": False}, "got no precision of a.b-c, expected at least one"),
    ],
)
def test_descriptions_that_cannot_be_true_are_refused(tmp_path, changes, message):
    path = tmp_path / "ref.npz"
    reference.write(path, example())
    rewritten(path, lambda arrays: described(arrays, **changes))
    with pytest.raises(ValueError, match=message):
        reference.read(path)


def test_an_absent_archive_is_named(tmp_path):
    with pytest.raises(ValueError, match="nothere.npz: no such file"):
        reference.read(tmp_path / "nothere.npz")


def test_where_an_archive_will_be_written_is_tried_before(tmp_path):
    reference.prepare(tmp_path / "new" / "folder" / "ref.npz")
    assert not list((tmp_path / "new" / "folder").iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="place where no archive can be written"):
        reference.prepare(tmp_path / "file" / "ref.npz")
    with pytest.raises(ValueError, match="got a folder, expected the name"):
        reference.prepare(tmp_path / "new")
