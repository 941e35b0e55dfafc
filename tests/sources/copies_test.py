"""Which reader opens a TFDS copy, and is its list of examples made once?"""

import json
import os
import shutil

import pytest
import tfds_sets
import trees
from etils import epath

from biases_jax.sources import copies, dataset, tfds_arrays

SMALL = trees.any_size("imagenet_a")
REAL = [[65], [], [230, 231, 232], [809], [], [57, 58], [334], [], [674], [332]]


def test_of_both_formats_the_one_without_tensorflow_is_read(prepared, copy):
    folder = epath.Path(copy[1])
    (other,) = (prepared["tfrecord"] / "imagenet_a").iterdir()
    for shard in other.glob("*.tfrecord-*"):
        shutil.copy(shard, folder)
    info = json.loads((folder / "dataset_info.json").read_text())
    info["alternativeFileFormats"] = ["tfrecord"]
    (folder / "dataset_info.json").write_text(json.dumps(info))
    assert tfds_arrays.file_formats(folder) == set(tfds_sets.FORMATS)
    reader, _ = copies.open_copy(SMALL, SMALL.copies[0], folder, None)
    assert isinstance(reader, tfds_arrays.ArrayRecords)
    data = {example.name: example.data for example in trees.examples("imagenet_a")}
    for index, name in enumerate(reader.names):
        assert reader.read(index) == (name, data[name])


@pytest.fixture
def passes(monkeypatch):
    """A list that grows with each pass over a whole copy."""
    made = []
    list_examples = tfds_arrays.list_examples

    def counted(*arguments):
        made.append(1)
        return list_examples(*arguments)

    monkeypatch.setattr(tfds_arrays, "list_examples", counted)
    return made


def test_a_list_that_is_there_is_read_and_not_written_again(copy, tmp_path, passes):
    root, _ = copy
    lists = tmp_path / "lists"
    dataset.open_source(SMALL, "", str(root), lists)
    (path,) = lists.iterdir()
    os.utime(path, ns=(1, 1))  # long ago
    before = path.stat()
    dataset.open_source(SMALL, "", str(root), lists)
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino) == (before.st_mtime_ns, before.st_ino)
    assert len(passes) == 1


def test_a_copy_that_describes_itself_otherwise_is_listed_anew(copy, tmp_path, passes):
    root, folder = copy
    for count in (1, 1, 2):
        if count == 2:
            path = folder / "dataset_info.json"
            path.write_text(path.read_text() + "\n")
        dataset.open_source(SMALL, "", str(root), tmp_path / "lists")
        assert len(passes) == count


def test_a_copys_own_real_labels_are_kept_beside_a_file_of_others(tmp_path):
    records = tfds_sets.records(
        "imagenet2012_real", trees.examples("imagenet"), real=REAL
    )
    root = tmp_path / "tfds"
    name = "imagenet2012_real"
    tfds_sets.write(root, name, "validation", records, "array_record")
    data_dir = tmp_path / "data"
    data_dir.mkdir()
    others = [[label] for label in trees.FIRST.values()]
    (data_dir / "real.json").write_text(json.dumps(others))
    row = trees.any_size("imagenet")
    found = dataset.open_source(row, str(data_dir), str(root))
    assert not found.added and not found.absent
    rows = dict(zip(found.names, found.labels["real"].tolist(), strict=True))
    assert rows["ILSVRC2012_val_00000003.JPEG"] == [230, 231, 232]
    assert rows["ILSVRC2012_val_00000002.JPEG"] == [-1, -1, -1]
