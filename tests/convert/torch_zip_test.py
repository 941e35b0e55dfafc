"""Are zip archives that were damaged or made to mislead refused?"""

import tracemalloc
import zipfile

import handmade_checkpoints as handmade
import numpy as np
import pytest
import torch

from convert import errors, state_dict, torch_zip

VALUES = np.arange(6, dtype=np.float32)
GOOD = handmade.described({"a": handmade.Tensor(handmade.Storage("0", 6))})


def read(path):
    return state_dict.select(state_dict.read(path).tree)[0]["a"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.pth"


@pytest.mark.parametrize("root", ["archive", "resnet50-0676ba61", "model.pth"])
def test_entries_of_any_root_are_read(path, root):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()}, root)
    np.testing.assert_array_equal(read(path), VALUES.reshape(2, 3))


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("entry", ["data.pkl", "data/0", "byteorder"])
def test_compressed_entries_are_refused(path, entry, compression):
    parts = {"data.pkl": GOOD, "data/0": VALUES.tobytes(), "byteorder": b"little"}
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            kind = compression if name == entry else zipfile.ZIP_STORED
            archive.writestr(f"archive/{name}", content, kind)
    with pytest.raises(errors.CheckpointError, match=f"compressed .*archive/{entry}"):
        read(path)


def test_compressed_entries_are_refused_before_they_are_expanded(path):
    size = 2**26
    tensor = handmade.Tensor(handmade.Storage("0", size // 4), 0, (size // 4,), (1,))
    described = handmade.described({"a": tensor})
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", described)
        archive.writestr("archive/data/0", bytes(size), zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < size / 500
    tracemalloc.start()
    try:
        with pytest.raises(errors.CheckpointError, match="compressed zip entry"):
            read(path)
        assert tracemalloc.get_traced_memory()[1] < size / 10
    finally:
        tracemalloc.stop()


def test_a_huge_list_of_entries_is_not_even_read(path, monkeypatch):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()})
    monkeypatch.setattr(torch_zip, "MAX_DIRECTORY", 100)
    with pytest.raises(errors.CheckpointError, match="a list of entries of 1.. bytes"):
        read(path)


def test_overlapping_entries_are_refused(path):
    handmade.write_zip(path, GOOD, {"0": bytes(1000), "1": b""})
    content = bytearray(path.read_bytes())
    # The second storage's entry in the directory, turned into one of the first's bytes.
    first, second = (content.rfind(b"archive/data/%d" % i) - 46 for i in (0, 1))
    for start, stop in ((16, 28), (42, 46)):  # sum and sizes, place of the header
        part = content[first + start : first + stop]
        content[second + start : second + stop] = part
    path.write_bytes(content)
    with pytest.raises(errors.CheckpointError, match="entries of 2[0-9]* bytes in a"):
        read(path)


@pytest.mark.parametrize("field", [20, 38], ids=["stored size", "attributes"])
def test_entries_that_other_programs_read_differently_are_refused(path, field):
    """PyTorch returns memory that was never written for what claims to be a folder."""
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()})
    content = bytearray(path.read_bytes())
    content[content.rfind(b"archive/data/0") - 46 + field] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(errors.CheckpointError, match="two sizes, or a folder's mark"):
        read(path)


def test_tensors_are_views_of_the_file(path):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()})
    found = read(path)
    assert not found.flags.owndata and not found.flags.writeable


def test_other_entries_are_left_alone(path):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes(), "1": b""})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/.data/serialization_id", "7")
        archive.writestr("archive/deeper/data.pkl", "no pickle")
    np.testing.assert_array_equal(read(path), VALUES.reshape(2, 3))


@pytest.mark.parametrize(
    "entry, content, message",
    [
        ("archive/byteorder", "big", "byte order"),
        ("second/data.pkl", "", "2 entries <name>/data.pkl"),
        ("/etc/passwd", "", "zip entry"),
        ("archive/../../x", "", "zip entry"),
        ("archive\\x", "", "zip entry"),
        ("archive/data/0", "twice", "zip entry"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")  # zipfile warns of what we test
def test_misleading_entries_are_refused(path, entry, content, message):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(entry, content)
    with pytest.raises(errors.CheckpointError, match=message):
        read(path)


def test_an_archive_without_a_pickle_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("code/model.py", "")
    with pytest.raises(errors.CheckpointError, match="0 entries <name>/data.pkl"):
        read(path)


@pytest.mark.parametrize("content", [None, b"", b"\0" * 20, b"\0" * 28])
def test_a_storage_must_have_the_described_size(path, content):
    storages = {} if content is None else {"0": content}
    handmade.write_zip(path, GOOD, storages)
    with pytest.raises(errors.CheckpointError, match="expected 24 bytes"):
        read(path)


@pytest.mark.parametrize(
    "numel, kind", [(6, torch.DoubleStorage), (6, torch.IntStorage), (3, None)]
)
def test_one_storage_cannot_be_read_in_two_ways(path, numel, kind):
    other = handmade.Storage("0", numel, kind=kind or torch.FloatStorage)
    content = {
        "a": handmade.Tensor(handmade.Storage("0", 6)),
        "b": handmade.Tensor(other, 0, (3,), (1,)),
    }
    handmade.write_zip(path, handmade.described(content), {"0": VALUES.tobytes()})
    with pytest.raises(errors.CheckpointError, match="two descriptions of storage '0'"):
        read(path)


def test_a_flipped_bit_is_noticed(path):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()})
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("archive/data/0").header_offset
    content[start + 30 + len("archive/data/0") + 3] ^= 16
    path.write_bytes(content)
    with pytest.raises(errors.CheckpointError):
        read(path)


def test_every_truncation_is_noticed(path):
    torch.save({"a": torch.arange(6.0).reshape(2, 3)}, path)
    content = path.read_bytes()
    np.testing.assert_array_equal(read(path), VALUES.reshape(2, 3))
    for end in range(4, len(content), 37):
        path.write_bytes(content[:end])
        with pytest.raises(errors.CheckpointError):
            read(path)


def test_no_flipped_byte_gives_other_values_or_another_error(path):
    torch.save({"a": torch.arange(6.0).reshape(2, 3)}, path)
    content = path.read_bytes()
    generator = np.random.default_rng(0)
    for position in generator.integers(0, len(content), 300):
        changed = bytearray(content)
        changed[position] ^= 1 << generator.integers(8)
        path.write_bytes(changed)
        try:
            found = read(path)
        except errors.CheckpointError:
            continue
        except KeyError:
            raise AssertionError(f"byte {position} gave another name") from None
        np.testing.assert_array_equal(found, VALUES.reshape(2, 3))


def test_a_hostile_pickle_is_refused_before_it_is_unpickled(path):
    handmade.write_zip(path, b"\x80\x02Nr\xff\xff\xff\x0f.")
    with pytest.raises(errors.CheckpointError, match="memo entry 268435455"):
        read(path)
