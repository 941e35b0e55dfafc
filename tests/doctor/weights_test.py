"""Is the file of a model to be converted found, and told from what is no checkpoint?"""

import dataclasses
import hashlib
import json
import zipfile

import jax
import numpy as np
import pytest

from biases_jax.doctor import weights
from biases_jax.models import names, resnet, zoo
from convert import fetch

MODEL = "tv_resnet50"
FILE = zoo.MODELS[MODEL].backbone[0].file
LARGE = 60_000_000  # bytes, as a ResNet-50 in half precision


def header(size):
    """Return the beginning of a .safetensors file with one tensor."""
    entry = {"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}
    text = json.dumps(entry).encode()
    return len(text).to_bytes(8, "little") + text


def write(path, start=None, size=LARGE):
    """Write a file with this beginning and, unless it is told otherwise, zeros."""
    start = header(LARGE) if start is None else start
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.write(start)
        stream.truncate(size + len(start))  # sparse
    return path


def look(folder, name=MODEL, path="", sums=False):
    return weights.look(names.Reference(name, path=str(path)), str(folder), sums)


@pytest.fixture
def summed(monkeypatch):
    """Return a function that declares the published sum of the model."""

    def declare(sha256):
        row = zoo.MODELS[MODEL]
        files = (dataclasses.replace(row.backbone[0], sha256=sha256),)
        changed = dataclasses.replace(row, backbone=files)
        monkeypatch.setitem(zoo.MODELS, MODEL, changed)

    return declare


def test_the_least_sizes_are_those_of_the_network():
    network = resnet.ResNet50()
    shapes = jax.eval_shape(
        network.init, jax.random.key(0), np.zeros((1, 64, 64, 3), np.float32)
    )
    leaves = jax.tree_util.tree_leaves_with_path(shapes["params"])
    sizes = {"backbone": 0, "head": 0}
    for path, leaf in leaves:
        part = "head" if path[0].key in ("head", "fc") else "backbone"
        sizes[part] += int(np.prod(leaf.shape))
    assert sizes == weights.PARAMETERS


@pytest.mark.parametrize("name", [FILE, f"{MODEL}.safetensors", f"{MODEL}/backbone.pt"])
def test_a_file_is_there_in_each_of_its_places(tmp_path, name):
    write(tmp_path / name)
    assert look(tmp_path) == weights.Looked("there", [], [])


def test_a_missing_file_is_a_note_with_place_and_address(tmp_path):
    looked = look(tmp_path)
    assert looked.state == "missing" and not looked.findings
    (note,) = weights.to_fetch(looked.missing * 2, offline=False)
    assert not note.grave and "1 that are expected" in note.message
    assert str(tmp_path / FILE) in note.message
    assert "https://huggingface.co/timm/resnet50.tv_in1k" in note.message
    assert "the stage convert downloads them" in note.message
    assert weights.to_fetch([], offline=True) == []


def test_a_missing_file_is_a_fault_where_nothing_is_downloaded(tmp_path, monkeypatch):
    (fault,) = weights.to_fetch(look(tmp_path).missing, offline=True)
    assert fault.grave and "save them there yourself" in fault.message
    assert "downloads them" not in fault.message
    monkeypatch.setenv(fetch.OFFLINE_VARIABLE, "1")
    assert weights.to_fetch(look(tmp_path).missing, offline=False) == [fault]


def test_both_files_of_two_are_looked_for(tmp_path):
    row = zoo.MODELS["resnet50_dino"]
    legacy = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."  # of torch.save
    write(tmp_path / row.backbone[0].file, legacy)
    looked = look(tmp_path, row.name)
    assert [one.place.name for one in looked.missing] == [row.head[0].file]
    write(tmp_path / row.head[0].file, legacy, 5_000_000)
    assert look(tmp_path, row.name).state == "there"


def with_zip_end(path, cut):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data", bytes(LARGE))
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size - cut)


@pytest.mark.parametrize(
    "start, size, said",
    [
        (b"<!doctype html><title>Quota exceeded</title>", LARGE, "HTML or XML page"),
        (b"version https://git-lfs.github.com/spec/v1\n", 100, "Git LFS pointer"),
        (b"", 0, "unknown first bytes b''"),
        (None, LARGE - 1, f"cut off ({LARGE + len(header(LARGE)) - 1} of"),
        (b"\x05\0\0\0\0\0\0\0{nope", LARGE, "list of tensors is damaged"),
        (header(1000), 1000, "expected 47016064 to"),
    ],
    ids=["page", "pointer", "empty", "cut", "damaged", "small"],
)
def test_what_is_no_whole_checkpoint_is_told(tmp_path, start, size, said):
    path = write(tmp_path / FILE, start, size)
    looked = look(tmp_path)
    (finding,) = looked.findings
    assert looked.state == "unusable" and finding.grave
    assert said in finding.message and str(path) in finding.message


def test_a_zip_archive_without_its_end_is_cut_off(tmp_path):
    path = tmp_path / f"{MODEL}.pth"
    with_zip_end(path, 0)
    assert look(tmp_path).state == "there"
    with_zip_end(path, 100)
    (finding,) = look(tmp_path).findings
    assert "a zip archive without its end" in finding.message


def test_sums_are_compared_only_if_asked_for(tmp_path, summed):
    content = write(tmp_path / FILE).read_bytes()
    summed("0" * 64)
    assert look(tmp_path).state == "there"
    (finding,) = look(tmp_path, sums=True).findings
    assert "expected 0000" in finding.message
    summed(hashlib.sha256(content).hexdigest())
    assert look(tmp_path, sums=True).state == "verified"
    summed("")  # nobody published one
    assert look(tmp_path, sums=True).state == "there"


def test_own_files_are_looked_at_too(tmp_path):
    path = tmp_path / "mine.pth"
    (finding,) = look(tmp_path, "mine", path).findings
    assert str(path) in finding.message and "correct the path" in finding.message
    write(path, b"<html>")
    (finding,) = look(tmp_path, "mine", path).findings
    assert "HTML" in finding.message
    write(path, header(10), 10)  # of any size
    assert look(tmp_path, "mine", path) == weights.Looked("there", [], [])


def test_two_files_that_could_be_meant_are_a_fault(tmp_path):
    for ending in ("pth", "pt"):
        write(tmp_path / f"{MODEL}.{ending}")
    (finding,) = look(tmp_path).findings
    assert "expected one; remove or rename" in finding.message
