"""Are zip archives that were damaged or made to mislead refused?"""

import zipfile

import handmade_checkpoints as handmade
import numpy as np
import pytest
import torch

from convert import errors, state_dict

VALUES = np.arange(6, dtype=np.float32)
GOOD = handmade.described({"a": handmade.Tensor(handmade.Storage("0", 6))})


def read(path):
    return state_dict.select(state_dict.read(path).tree)[0]["a"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.pth"


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("root", ["archive", "resnet50-0676ba61", "model.pth"])
def test_stored_and_compressed_entries_of_any_root_are_read(path, root, compression):
    storages = {"0": VALUES.tobytes()}
    handmade.write_zip(path, GOOD, storages, root, compression=compression)
    np.testing.assert_array_equal(read(path), VALUES.reshape(2, 3))


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


def test_one_storage_cannot_be_read_as_two_sizes(path):
    content = {
        "a": handmade.Tensor(handmade.Storage("0", 6)),
        "b": handmade.Tensor(handmade.Storage("0", 6, kind=torch.DoubleStorage)),
    }
    handmade.write_zip(path, handmade.described(content), {"0": VALUES.tobytes()})
    with pytest.raises(errors.CheckpointError, match="b: .* expected 48 bytes"):
        read(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_is_noticed(path, compression):
    handmade.write_zip(path, GOOD, {"0": VALUES.tobytes()}, compression=compression)
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
