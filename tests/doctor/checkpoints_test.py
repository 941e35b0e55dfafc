"""Is a checkpoint that cannot be used told from one that can?"""

import hashlib
import json

import numpy as np
import pytest
from etils import epath

from biases_jax.doctor import checkpoints as doctor
from biases_jax.models import checkpoints, names
from convert import fingerprint

TREE = {"params": {"fc": {"bias": np.zeros(3, np.float32)}}}


@pytest.fixture
def saved(tmp_path):
    """Return a function that saves a small converted model and examines it."""
    file = tmp_path / "mine.pth"
    file.write_bytes(b"weights")
    source = {
        "path": str(file),
        "file": file.name,
        "sha256": hashlib.sha256(b"weights").hexdigest(),
    }
    known = {"width": 8, "num_classes": 3, "stem_stride": 2}

    def save(**more):
        folder = epath.Path(tmp_path / "checkpoints")
        manifest = {**known, "sources": {"backbone": source}, **more}
        checkpoints.save(folder / "mine", TREE, manifest)
        return folder

    return save


def examine(folder, path=""):
    return doctor.examine(names.Reference("mine", path=str(path)), folder)


def test_a_whole_conversion_is_well(saved):
    folder = saved(fingerprint={"status": "verified", "verdict": "verified"})
    line, found = examine(folder)
    assert line == ("mine", "converted", "verified", "whole", "there")
    assert found == []


def test_other_weights_than_the_papers_are_told(saved):
    verdict = {
        "status": "not the paper's weights",
        "verdict": "not the paper's weights (differ most in layer1)",
    }
    _, (finding,) = examine(saved(fingerprint=verdict))
    assert "differ most in layer1" in finding.message


def test_the_converters_word_for_other_weights_is_the_same():
    assert doctor._OTHER == fingerprint.OTHER


def test_damaged_arrays_are_told(saved):
    folder = saved()
    path = folder / "mine" / checkpoints.MANIFEST
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "weights_sha256": "0" * 64}))
    line, (finding,) = examine(folder)
    assert line[3] == "damaged" and "sha256" in finding.message


def test_a_changed_file_is_told_and_one_that_is_gone_is_not(saved, tmp_path):
    folder = saved()
    (tmp_path / "mine.pth").write_bytes(b"others")
    line, (finding,) = examine(folder)
    assert line[4] == "changed" and "convert it again" in finding.message
    (tmp_path / "mine.pth").unlink()
    line, found = examine(folder)
    assert line[4] == "gone" and found == []


def test_a_damaged_manifest_is_told(saved):
    folder = saved()
    (folder / "mine" / checkpoints.MANIFEST).write_text("{")
    line, (finding,) = examine(folder)
    assert line[1] == "unusable" and "damaged" in finding.message


def test_a_model_to_be_converted_is_no_fault(tmp_path):
    for path in (tmp_path / "mine.pth", ""):  # of one's own, and a row of the zoo
        line, found = examine(epath.Path(tmp_path / "none"), path)
        assert line[1] == doctor.UNCONVERTED and found == []


def test_of_two_files_one_may_be_gone(saved, tmp_path):
    folder = saved()
    path = folder / "mine" / checkpoints.MANIFEST
    manifest = json.loads(path.read_text())
    head = {"path": str(tmp_path / "head.pth"), "file": "head.pth", "sha256": "0" * 64}
    manifest["sources"]["head"] = head
    path.write_text(json.dumps(manifest))
    line, found = examine(folder)
    assert line == ("mine", "converted", "-", "whole", "gone") and found == []
    (tmp_path / "mine.pth").write_bytes(b"others")  # which the other does not hide
    line, (finding,) = examine(folder)
    assert line[4] == "changed" and "convert it again" in finding.message
