"""Does a cell's identity follow the labels that it reads, and no others?"""

import json

import pytest
import trees
from sources.source_files import declare, write_tree

from biases_jax import benchmarks, cells, labels
from biases_jax.config import EvaluateConfig
from biases_jax.corruptions import frost_textures

ASKED = benchmarks.select(["natural/imagenet", "natural/imagenet_real"])
REAL = [[65], [], [230, 231], [809], [], [57, 58], [334], [], [674], [332]]


@pytest.fixture
def opened(tmp_path):
    """Return what opens a small validation set, with what lies beside it."""
    write_tree(tmp_path / "val", trees.files(trees.examples("imagenet")))
    declare(tmp_path / "val", source="imagenet", classes=10, examples=10)
    config = EvaluateConfig(data_dir=str(tmp_path), tfds_dir=str(tmp_path / "none"))

    def open_with(real=None):
        path = tmp_path / "real.json"
        path.unlink(missing_ok=True)
        if real is not None:
            path.write_text(json.dumps(real))
        return cells.open_cells(config, "imagenet", ASKED, {"m": "00"}, tmp_path / "s")

    return open_with


def fingerprints(found):
    return {name: header.fingerprint for (_, name), header in found.headers.items()}


def test_without_real_labels_only_the_benchmark_that_reads_them_has_no_cell(opened):
    found = opened()
    assert [*found.headers] == [("m", "natural/imagenet")]
    assert [*found.benchmarks] == ["natural/imagenet"]
    assert [*found.lacking] == ["natural/imagenet_real"]
    assert "real.json" in found.lacking["natural/imagenet_real"]


def test_a_broken_file_of_real_labels_is_a_reason_for_that_benchmark_only(opened):
    found = opened([[1]])
    assert [*found.headers] == [("m", "natural/imagenet")]
    assert "got 1 lists" in found.lacking["natural/imagenet_real"]


def test_real_labels_come_and_go_without_a_change_to_other_cells(opened):
    before, there = fingerprints(opened()), fingerprints(opened(REAL))
    changed = fingerprints(opened([[66], *REAL[1:]]))
    after = fingerprints(opened())
    assert not opened(REAL).lacking
    assert before == after == {"natural/imagenet": there["natural/imagenet"]}
    assert changed["natural/imagenet"] == there["natural/imagenet"]
    assert changed["natural/imagenet_real"] != there["natural/imagenet_real"]


def test_a_cell_remembers_its_class_map_and_what_proves_its_labels(opened):
    (header,) = opened().headers.values()
    assert header.provenance["class_map_sha256"] == labels.CLASS_MAP_SHA256
    assert header.provenance["labels"] == "proved"


def test_a_benchmark_whose_own_files_are_not_here_has_no_cell(
    opened, tmp_path, monkeypatch
):
    monkeypatch.setattr(frost_textures, "PACKAGE", "no_such_package")
    opened()  # the set of images
    asked = benchmarks.select(["imagenet_c_jax/frost/1", "imagenet_c_jax/snow/1"])
    config = EvaluateConfig(data_dir=str(tmp_path), tfds_dir=str(tmp_path / "none"))
    found = cells.open_cells(config, "imagenet", asked, {"m": "00"}, tmp_path / "s")
    assert [*found.benchmarks] == ["imagenet_c_jax/snow/1"]
    assert "not at hand" in found.lacking["imagenet_c_jax/frost/1"]
