import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
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


class Shared(type(epath.Path())):
    """A place where no file may have the name of an earlier one."""

    parts_written: set[str] = set()

    def write_bytes(self, data):
        """Write once."""
        assert self.name not in self.parts_written
        self.parts_written.add(self.name)
        return super().write_bytes(data)


def test_hosts_with_equal_process_numbers_write_apart(tmp_path, monkeypatch):
    monkeypatch.setattr("os.getpid", lambda: 7)
    values = {"imagenet": np.zeros((1, 1), np.int32)}
    for _ in range(2):
        manifest.write(Shared(tmp_path) / "x.parquet", ("a",), values, {"origin": ""})
    assert len(Shared.parts_written) == 2


@pytest.mark.parametrize("kept", [0, 1, 0.5, -1], ids=["0 bytes", "1", "half", "all-1"])
def test_a_torn_list_counts_as_absent(tmp_path, kept):
    path = epath.Path(tmp_path) / "x.parquet"
    values = {"imagenet": np.zeros((1, 1), np.int32)}
    manifest.write(path, ("a",), values, {"origin": "copy 1"})
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data)) if kept == 0.5 else kept])
    assert manifest.read_listing(path, "copy 1") is None


def test_a_table_without_an_origin_is_no_list(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    assert manifest.read_listing(epath.Path(path), "copy 1") is None
