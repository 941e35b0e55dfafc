"""Is a TFDS copy of no use told with its path and what to do, whatever is wrong?"""

import dataclasses
import json

import pytest
import tfds_sets
import trees
from etils import epath

from biases_jax.config import EvaluateConfig
from biases_jax.doctor import images, sources
from biases_jax.sources import copy_errors, dataset, locate, tfds_arrays

SMALL = trees.any_size("imagenet_a")


def shard(folder):
    """Return the largest file of records."""
    return max(folder.glob("imagenet_a-test*"), key=lambda path: path.stat().st_size)


def gone(folder):
    shard(folder).unlink()


def page(folder):
    shard(folder).write_bytes(b"<html>quota exceeded</html>" * 500)


def truncated(folder):
    data = shard(folder).read_bytes()
    shard(folder).write_bytes(data[: len(data) // 2])


def flipped(folder):
    data = bytearray(shard(folder).read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2000] = bytes(b ^ 255 for b in data[middle : middle + 2000])
    shard(folder).write_bytes(bytes(data))


def nameless(folder):
    features = json.loads((folder / "features.json").read_text())
    del features["featuresDict"]["features"]["file_name"]
    (folder / "features.json").write_text(json.dumps(features))


def no_description(folder):
    (folder / "dataset_info.json").write_text("[]")


def other_split(folder):
    path = folder / "dataset_info.json"
    path.write_text(path.read_text().replace('"test"', '"train"'))


DAMAGES = (gone, page, truncated, flipped, nameless, no_description, other_split)


@pytest.mark.parametrize("copy", tfds_sets.FORMATS, indirect=True)
@pytest.mark.parametrize("damage", DAMAGES)
def test_any_damage_is_one_error_with_path_and_advice(copy, damage, tmp_path):
    root, folder = copy
    damage(folder)
    with pytest.raises(copy_errors.CopyError, match="prepare it again") as error:
        dataset.open_source(SMALL, "", str(root))
    assert str(error.value).startswith(f"{folder}: got ")
    config = EvaluateConfig(tfds_dir=str(root))
    manifests = epath.Path(tmp_path / "none")
    found = sources.examine(SMALL, (), config, manifests, 5, lambda count: None)
    assert [finding.message for finding in found.findings] == [str(error.value)]


class Rotting(list):
    """Records that are read as array_record reads a file, until that has rotted."""

    rotten = False

    def __getitem__(self, index):
        if self.rotten:
            raise RuntimeError("chunk hash mismatch")
        return super().__getitem__(index)


@pytest.mark.parametrize("copy", tfds_sets.FORMATS, indirect=True)
def test_damage_after_the_listing_is_told_of_the_copy(copy, tmp_path):
    root, folder = copy
    manifests = epath.Path(tmp_path / "manifests")
    opened = dataset.open_source(SMALL, "", str(root), manifests)
    reader = locate.locate(SMALL, "", str(root), manifests).reader
    if isinstance(reader, tfds_arrays.ArrayRecords):  # which keeps small files
        reader = dataclasses.replace(reader, records=Rotting(reader.records))
        reader.records.rotten = True
    listed = dataset.Dataset(SMALL, reader)
    flipped(folder)
    with pytest.raises(copy_errors.CopyError, match="prepare it again"):
        [listed.encoded(index) for index in range(len(opened))]
    found = images.decode(listed, None, 1, lambda count: None)
    assert {bad.kind for bad in found.bad} == {"unreadable"}
    assert str(folder) in found.bad[0].reason


def test_an_absent_library_is_no_fault_of_a_copy():
    with pytest.raises(ModuleNotFoundError), copy_errors.reading("a"):
        raise ModuleNotFoundError("tensorflow")
