"""The three readers give the same examples; one small copy of each kind is made."""

import dataclasses
import json
import pathlib
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
import tensorflow_datasets as tfds
from sources.source_files import declare, opened, pictures, source, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset, loader, records, tfds_arrays

N = 12
PICTURES = pictures(N)


class TinyImagenet(tfds.core.GeneratorBasedBuilder):
    """A copy that is made as TFDS' own `imagenet2012` is, names and features."""

    # Else TFDS looks for files of the package that pytest made of this folder.
    __module__ = "tiny_imagenet"
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        features = {
            "image": tfds.features.Image(encoding_format="jpeg"),
            "label": tfds.features.ClassLabel(names=labels.WNIDS),
            "file_name": tfds.features.Text(),
        }
        return tfds.core.DatasetInfo(
            builder=self, features=tfds.features.FeaturesDict(features)
        )

    def _split_generators(self, dl_manager):
        return {"validation": self._generate_examples()}

    def _generate_examples(self):
        folder = pathlib.Path(self.data_dir).parent
        folder.mkdir(parents=True, exist_ok=True)
        for location, data in PICTURES.items():
            wnid, name = location.split("/")
            (folder / name).write_bytes(data)
            yield name, {"image": folder / name, "label": wnid, "file_name": name}


ROW = source(copies=(catalog.TfdsCopy("tiny_imagenet", "validation"),), folders=())


@pytest.fixture(scope="module")
def copies(tmp_path_factory) -> dict[str, str]:
    """The roots of the prepared copies, by format."""
    roots = {}
    for file_format in ("array_record", "tfrecord"):
        root = str(tmp_path_factory.mktemp(file_format))
        builder = TinyImagenet(data_dir=root, file_format=file_format)
        # Several files, so that their order counts.
        config = tfds.download.DownloadConfig(num_shards=3)
        builder.download_and_prepare(download_config=config)
        roots[file_format] = root
    return roots


@pytest.mark.parametrize("file_format", ["array_record", "tfrecord"])
def test_a_copy_gives_the_examples_of_the_folder_tree(copies, tmp_path, file_format):
    tree = opened(tmp_path, PICTURES)
    copy = dataset.open_source(ROW, "", copies[file_format])
    assert len(copy) == len(tree) == N
    assert copy.sha256("imagenet") == tree.sha256("imagenet")
    assert copy.order != tree.order  # TFDS shuffles while it prepares
    # What the tables of results are checked against.
    assert copy.order == labels.order_sha256(labels.packed_ids(copy.ids))
    place = {name: index for index, name in enumerate(tree.names)}
    same = [place[name] for name in copy.names]
    np.testing.assert_array_equal(copy.ids, tree.ids[same])
    np.testing.assert_array_equal(
        copy.labels["imagenet"], tree.labels["imagenet"][same]
    )
    assert [copy.encoded(i) for i in range(N)] == [tree.encoded(i) for i in same]
    (expected,) = loader.Loader(tree, 0).batches([(0, N)], N)
    found = loader.Loader(copy, 2).batches([(0, 7), (7, N)], 5)
    images = [b.batch["image"][b.batch["mask"]] for b in found]
    np.testing.assert_array_equal(np.concatenate(images), expected.batch["image"][same])


def test_both_formats_keep_the_same_order(copies):
    orders = {dataset.open_source(ROW, "", root).order for root in copies.values()}
    assert len(orders) == 1


def test_a_stream_may_be_read_in_any_order(copies, monkeypatch):
    monkeypatch.setattr(records, "_WINDOW", 2)  # so that 12 records leave it
    stream = dataset.open_source(ROW, "", copies["tfrecord"]).reader
    for index in (0, 1, 2, 3, 11, 10, 4, 9, 0, 5, 6, 7, 8):
        assert stream.read(index)[0] == stream.names[index]
    with pytest.raises(ValueError, match="got 12 records, expected more than 12"):
        stream.read(12)


def test_tensorflow_sees_no_accelerator(copies):
    dataset.open_source(ROW, "", copies["tfrecord"])
    assert sys.modules["tensorflow"].config.get_visible_devices("GPU") == []


def test_a_tfrecord_copy_without_tensorflow_is_a_clear_error(copies, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as if not installed
    with pytest.raises(ImportError, match=r"biases_jax\[tf\].*array_record"):
        dataset.open_source(ROW, "", copies["tfrecord"])
    assert len(dataset.open_source(ROW, "", copies["array_record"])) == N


@pytest.mark.parametrize("file_format", ["array_record", "tfrecord"])
def test_the_list_of_a_copy_is_made_once(copies, tmp_path, monkeypatch, file_format):
    first = dataset.open_source(ROW, "", copies[file_format], tmp_path)
    monkeypatch.setattr(tfds_arrays, "list_examples", None)  # must not be called
    second = dataset.open_source(ROW, "", copies[file_format], tmp_path)
    assert (
        second.sha256("imagenet") == first.sha256("imagenet")
        and second.order == first.order
    )
    assert second.names == first.names
    assert second.labels["imagenet"].dtype == np.int32
    assert [path.name for path in tmp_path.iterdir()] == ["imagenet.parquet"]


def test_a_list_of_another_copy_is_not_used(copies, tmp_path):
    path = opened(tmp_path, pictures(5)).write_manifest(tmp_path)
    assert len(dataset.open_source(ROW, "", copies["array_record"], tmp_path)) == N
    assert pq.read_table(path).num_rows == N


def test_a_manifest_names_every_example_and_what_it_was_made_of(tmp_path):
    tree = opened(tmp_path, pictures(5))
    path = tree.write_manifest(tmp_path / "sources")
    table = pq.read_table(path)
    assert table["name"].to_pylist() == list(tree.names)
    assert table["imagenet"].to_pylist() == tree.labels["imagenet"][:, 0].tolist()
    high, low = tree.ids[0].tolist()
    assert table["id"][0].as_py() == high * 2**32 + low
    metadata = {k.decode(): v.decode() for k, v in table.schema.metadata.items()}
    assert (
        json.loads(metadata["sha256"]) == {"imagenet": tree.sha256("imagenet")}
        and metadata["order"] == tree.order
    )
    assert metadata["class_map_sha256"] == labels.CLASS_MAP_SHA256


def test_a_copy_is_held_to_the_expected_counts(copies):
    row = dataclasses.replace(ROW, expected=catalog.Counts(5, N + 1))
    # A copy has no place for a declaration of its own counts.
    message = f"got {N} images of 5 classes, expected 13.*; prepare the copy again$"
    with pytest.raises(ValueError, match=message):
        dataset.open_source(row, "", copies["array_record"])


def test_what_to_do_about_counts_is_what_can_be_done(tmp_path):
    row = source(expected=catalog.Counts(5, 13))
    write_tree(tmp_path / "val", PICTURES)
    with pytest.raises(ValueError, match=r"or declare a smaller set in dataset\.json"):
        dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))
    declare(tmp_path / "val", source="imagenet", classes=5, examples=11)
    with pytest.raises(ValueError, match=r"or correct these counts in dataset\.json"):
        dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))


def test_the_newest_version_of_a_copy_is_read(copies, tmp_path):
    for version in ("2.0.0", "10.0.0", "9.1.0"):
        folder = tmp_path / "tiny_imagenet" / version
        folder.mkdir(parents=True)
        (folder / "dataset_info.json").write_text("{}")
    (tmp_path / "tiny_imagenet" / "11.0.0").mkdir()  # begun, not finished
    copy, folder, tried = tfds_arrays.find_copy(ROW, str(tmp_path))
    assert copy == ROW.copies[0] and folder.name == "10.0.0" and not tried


def test_a_published_tree_is_preferred_to_a_copy(copies, tmp_path):
    opened(tmp_path, pictures(5))
    row = dataclasses.replace(ROW, folders=("val",))
    assert len(dataset.open_source(row, str(tmp_path), copies["array_record"])) == 5
