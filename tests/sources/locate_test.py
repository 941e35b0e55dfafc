"""Is a source found in the first of its places, and missed with all of them told?"""

import dataclasses

import pytest
import tfds_sets
import trees
from sources.source_files import write_tree

from biases_jax.sources import locate

ROW = trees.any_size("imagenet")


@pytest.fixture
def copy(tmp_path):
    """Return the root of a TFDS copy."""
    root = tmp_path / "tfds"
    found = tfds_sets.records("imagenet2012", trees.validation("JPEG", 40))
    tfds_sets.write(root, "imagenet2012", "validation", found, "array_record")
    return str(root)


def test_a_tree_comes_before_a_copy(tmp_path, copy):
    write_tree(tmp_path / "data" / "val", trees.files(trees.validation("JPEG", 40)))
    found = locate.locate(ROW, str(tmp_path / "data"), copy)
    assert found.where == str(tmp_path / "data" / "val")
    assert not found.fresh and len(found.reader.names) == 10


def test_a_copy_is_fresh_until_its_list_is_kept_and_nothing_is_written(tmp_path, copy):
    kept = tmp_path / "kept"
    found = locate.locate(ROW, str(tmp_path / "data"), copy, kept)
    assert found.fresh and "imagenet2012" in found.where
    assert not kept.exists()


def test_an_absent_source_tells_every_place(tmp_path):
    row = dataclasses.replace(ROW, folders=("one", "two"), archives=())
    with pytest.raises(locate.AbsentError, match="neither a tree") as error:
        locate.locate(row, str(tmp_path), str(tmp_path / "tfds"))
    assert [
        str(tmp_path / name) in error.value.tried[i]
        for i, name in enumerate(("one", "two"))
    ] == [True, True]
    assert "imagenet2012_real" in error.value.tried[2]
    assert all(place in str(error.value) for place in error.value.tried)
