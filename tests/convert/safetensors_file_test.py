"""Are damaged .safetensors files refused?"""

import json

import numpy as np
import pytest
import safetensors.numpy
import torch
from safetensors.torch import save_file

from convert import errors, safetensors_file

VALUES = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def write(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def entry(**changes):
    return {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]} | changes}


def test_a_file_by_hand_is_read(path):
    write(path, entry() | {"__metadata__": {"format": "pt"}}, VALUES.tobytes())
    found, metadata = safetensors_file.read(path)
    np.testing.assert_array_equal(found["a"], VALUES)
    assert metadata == {"format": "pt"}


@pytest.mark.parametrize(
    "header",
    [
        entry(data_offsets=[0, 28]),
        entry(data_offsets=[4, 24]),
        entry(shape=[2, 4]),
        entry(shape=[2**62, 2**62]),
        entry(dtype="F31"),
        {"a": 3},
        [],
    ],
)
def test_headers_that_do_not_fit_the_data_are_refused(path, header):
    write(path, header, VALUES.tobytes())
    with pytest.raises(errors.CheckpointError, match="broken .safetensors"):
        safetensors_file.read(path)


def test_every_truncation_is_noticed(path):
    content = safetensors.numpy.save({"a": VALUES})
    for end in range(len(content)):
        path.write_bytes(content[:end])
        with pytest.raises(errors.CheckpointError):
            safetensors_file.read(path)


def test_types_that_numpy_lacks_are_refused(path):
    save_file({"a": torch.zeros(3, dtype=torch.float8_e8m0fnu)}, path)
    with pytest.raises(errors.CheckpointError):
        safetensors_file.read(path)
