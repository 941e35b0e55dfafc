"""Is a tensor ever read beyond its storage?"""

import numpy as np
import pytest

from convert import errors, tensors

FLOAT = tensors.StorageType("FloatStorage", np.dtype("<f4"))
VALUES = np.arange(12, dtype=np.float32)
STORAGE = tensors.Storage(FLOAT, 12, lambda dtype, numel: VALUES)


@pytest.mark.parametrize(
    "offset, size, stride",
    [
        (0, (3, 4), (4, 1)),
        (0, (4, 3), (1, 4)),
        (2, (5,), (2,)),
        (11, (), ()),
        (0, (3, 3), (1, 1)),
        (0, (1, 4), (0, 3)),
        (0, (4, 0), (0, 1)),
        (12, (0, 3), (3, 1)),
        (11, (1, 1), (999, 999)),
    ],
)
def test_views_within_the_storage_are_numpys(offset, size, stride):
    found = tensors.Tensor(STORAGE, offset, size, stride).array()
    positions = np.full(size, offset)
    for axis, step in enumerate(stride):
        shape = [-1 if i == axis else 1 for i in range(len(size))]
        positions = positions + np.arange(size[axis]).reshape(shape) * step
    assert found.shape == size
    np.testing.assert_array_equal(found, positions.astype(np.float32))
    with pytest.raises(ValueError, match="read-only"):
        found[...] = 0


@pytest.mark.parametrize(
    "offset, size, stride",
    [
        (0, (13,), (1,)),
        (1, (12,), (1,)),
        (12, (), ()),
        (13, (0,), (1,)),
        (0, (3, 4), (5, 1)),
        (0, (2, 2), (2**40, 1)),
        (0, (2,), (-1,)),
        (-1, (2,), (1,)),
        (0, (-1, -1), (1, 1)),
        (0, (2**40, 2**40), (0, 0)),
        (0, (2**31,), (0,)),
        (0, (3,), (4, 1)),
        (0, (1,) * 9, (1,) * 9),
        (0, [3], [1]),
        (0, (2.0,), (1,)),
        (0, (True,), (1,)),
        ("0", (3,), (1,)),
        (0, None, None),
    ],
)
def test_all_else_is_refused(offset, size, stride):
    with pytest.raises(errors.CheckpointError):
        tensors.Tensor(STORAGE, offset, size, stride).array()


@pytest.mark.parametrize(
    "size, stride",
    [
        ((2, 3), (0, 1)),  # of 6 elements
        ((13, 1), (0, 1)),
        ((2**20, 12), (0, 1)),
        ((4, 4), (1, 1)),  # 16 of 12 elements
        ((3, 3, 3), (3, 1, 1)),
    ],
)
def test_no_tensor_is_larger_than_its_storage(size, stride):
    with pytest.raises(errors.CheckpointError, match="repeats elements"):
        tensors.Tensor(STORAGE, 0, size, stride).array()


@pytest.mark.parametrize(
    "storage, metadata",
    [
        (None, None),
        ((FLOAT, 12, None), None),
        (STORAGE._replace(kind=tensors.StorageType("QInt8Storage", None)), None),
        (STORAGE._replace(numel=True), None),
        (STORAGE, {"neg": True}),
    ],
)
def test_what_is_no_plain_storage_is_refused(storage, metadata):
    with pytest.raises(errors.CheckpointError):
        tensors.Tensor(storage, 0, (1,), (1,), metadata).array()
