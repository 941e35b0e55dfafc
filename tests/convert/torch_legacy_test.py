"""Are streams of old PyTorch that were damaged or made to mislead refused?"""

import pickle

import handmade_checkpoints as handmade
import numpy as np
import pytest
import torch

from convert import errors, state_dict

VALUES = np.arange(6, dtype=np.float32)
TENSOR = handmade.Tensor(handmade.Storage("7", 6, None))
GOOD = handmade.described({"a": TENSOR})
STORED = {"7": (6, VALUES.tobytes())}


@pytest.fixture
def write(tmp_path):
    """Write a stream with the given parts, all others good; return the path."""

    def build(description=GOOD, storages=STORED, **parts):
        path = tmp_path / "model.pth"
        return handmade.write_legacy(path, description, storages, **parts)

    return build


def read(path):
    return state_dict.select(state_dict.read(path).tree)[0]["a"]


def test_a_stream_by_hand_is_read_as_a_view_of_the_file(write):
    found = read(write())
    np.testing.assert_array_equal(found, VALUES.reshape(2, 3))
    assert not found.flags.owndata and not found.flags.writeable


@pytest.mark.parametrize(
    "parts, message",
    [
        ({"magic": 3}, "no magic number"),
        ({"machine": {"little_endian": False}}, "big-endian"),
        ({"machine": 3}, "big-endian"),
        ({"machine": dict.fromkeys(range(999), 3)}, "or 1000 operations"),
        ({"storages": {}}, "no elements for storage '7'"),
        ({"storages": {"8": STORED["7"]}}, "storage '8' unannounced"),
        ({"storages": {"7": (5, b"\0" * 20)}}, "another number of elements"),
        ({"storages": {"7": (2**62, b"\0" * 20)}}, "another number of elements"),
        ({"storages": {"7": (6, b"\0" * 23)}}, "truncated"),
        ({"description": b"\x80\x02Nr\xff\xff\xff\x0f."}, "memo entry 268435455"),
    ],
)
def test_damaged_and_misleading_streams_are_refused(write, parts, message):
    with pytest.raises(errors.CheckpointError, match=message):
        read(write(**parts))


@pytest.mark.parametrize(
    "storage",
    [
        handmade.Storage("7", 9, ("8", 4, 6)),
        handmade.Storage("7", 6, ("8", 1, 6)),
        handmade.Storage("7", 6, ("8", -1, 6)),
        handmade.Storage("7", 6, ("8", 0, 7)),
        handmade.Storage("7", 6, "view"),
        handmade.Storage("7", 5, None),
        handmade.Storage("7", 3, None, kind=torch.DoubleStorage),
        handmade.Storage("7", -6, None),
    ],
)
def test_views_beyond_a_storage_and_second_descriptions_are_refused(write, storage):
    content = {"b": TENSOR, "a": handmade.Tensor(storage)}
    with pytest.raises(errors.CheckpointError):
        read(write(handmade.described(content)))


def test_keys_that_are_no_list_of_text_are_refused(tmp_path):
    parts = [pickle.dumps(part, 2) for part in (handmade.MAGIC, 1001, handmade.MACHINE)]
    path = tmp_path / "model.pth"
    path.write_bytes(b"".join([*parts, GOOD, pickle.dumps([7], 2)]))
    with pytest.raises(errors.CheckpointError, match="no list of storage keys"):
        read(path)


def test_every_truncation_is_noticed(tmp_path):
    path = tmp_path / "model.pth"
    content = {"a": torch.arange(6.0).reshape(2, 3)}
    torch.save(content, path, _use_new_zipfile_serialization=False)
    content = path.read_bytes()
    for end in range(1, len(content), 7):
        path.write_bytes(content[:end])
        with pytest.raises(errors.CheckpointError):
            read(path)


def test_no_flipped_byte_of_the_description_gives_another_error(tmp_path):
    # The stream has no checksum, so changed numbers cannot be noticed; crashes can.
    path = tmp_path / "model.pth"
    content = {"a": torch.arange(6.0).reshape(2, 3)}
    torch.save(content, path, _use_new_zipfile_serialization=False)
    content = path.read_bytes()
    generator = np.random.default_rng(0)
    for position in generator.integers(0, len(content) - 24, 400):
        changed = bytearray(content)
        changed[position] ^= 1 << generator.integers(8)
        path.write_bytes(changed)
        try:
            checkpoint = state_dict.read(path)
            state_dict.select(checkpoint.tree)
        except errors.CheckpointError:
            continue
