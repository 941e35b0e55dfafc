import numpy as np
import pyarrow.parquet as pq
from etils import epath

from biases_jax.sources import manifest


def test_a_list_comes_back_as_it_was_written(tmp_path):
    labels = {
        "imagenet": np.array([[7], [0], [999]], np.int32),
        "shape_texture": np.array([[1, 2], [3, -1], [15, 0]], np.int32),
    }
    names = ("b.png", "a.png", "ä.png")
    path = manifest.manifest_path(tmp_path, "imagenet_c/fog/3")
    assert path.name == "imagenet_c-fog-3.parquet"
    manifest.write(path, names, labels, {"origin": "copy 1"})
    listing = manifest.read_listing(path, "copy 1")
    assert listing.names == names and set(listing.labels) == set(labels)
    for space, values in labels.items():
        assert listing.labels[space].dtype == np.int32
        np.testing.assert_array_equal(listing.labels[space], values)
    assert pq.read_table(path)["shape_texture"].to_pylist()[1] == [3, -1]


def test_a_list_of_another_origin_or_none_is_not_used(tmp_path):
    path = epath.Path(tmp_path) / "x.parquet"
    assert manifest.read_listing(path, "copy 1") is None
    values = {"imagenet": np.zeros((1, 1), np.int32)}
    manifest.write(path, ("a",), values, {"origin": "copy 1"})
    assert manifest.read_listing(path, "copy 2") is None


def test_no_half_written_list_is_left_behind(tmp_path):
    values = {"imagenet": np.zeros((1, 1), np.int32)}
    for _ in range(2):  # the second replaces the first
        manifest.write(epath.Path(tmp_path) / "x.parquet", ("a",), values, {"o": ""})
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]
