"""What tensor do a storage, an offset and strides describe, and is it all there?"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from convert import errors

# PyTorch's storage classes, in `torch` and (of old) `torch.cuda`.
DTYPES = {
    "HalfStorage": np.dtype("<f2"),
    "BFloat16Storage": np.dtype(ml_dtypes.bfloat16),
    "FloatStorage": np.dtype("<f4"),
    "DoubleStorage": np.dtype("<f8"),
    "ByteStorage": np.dtype("u1"),
    "CharStorage": np.dtype("i1"),
    "ShortStorage": np.dtype("<i2"),
    "IntStorage": np.dtype("<i4"),
    "LongStorage": np.dtype("<i8"),
    "BoolStorage": np.dtype("?"),
}
MAX_DIMENSIONS = 8
MAX_BYTES = 4 * 2**30  # of one tensor or storage; a ResNet-50 has 102 MB


# Named tuples, because a pickle's instructions cannot change them once they exist.
class StorageType(NamedTuple):
    """A storage class by its element type; None for those that we do not read."""

    name: str
    dtype: np.dtype | None


class Storage(NamedTuple):
    """A run of elements somewhere in the file, not read yet.

    `load(dtype, numel)` returns it as a read-only array, or raises `CheckpointError`.
    """

    kind: StorageType
    numel: int
    load: Callable[[np.dtype, int], np.ndarray]


class Tensor(NamedTuple):
    """A tensor as the pickle describes it; nothing is checked before `array`."""

    storage: Any
    offset: Any
    size: Any
    stride: Any
    metadata: Any = None

    def array(self) -> np.ndarray:
        """Return the values, a read-only view of the file.

        A view may be strided, transposed or share its storage, but is never larger
        than it: copies of a tensor take no more than its part of the file.

        Raises:
            CheckpointError: the description is no tensor within its storage, or one
                that repeats elements (torch's `expand`).
        """
        self._check()
        dtype, numel = self.storage.kind.dtype, self.storage.numel
        flat = self.storage.load(dtype, numel)
        strides = [stride * dtype.itemsize for stride in self.stride]
        return np.lib.stride_tricks.as_strided(
            flat[self.offset :], self.size, strides, writeable=False
        )

    def _check(self) -> None:
        if not isinstance(self.storage, Storage):
            raise errors.CheckpointError("got a tensor without a storage")
        kind, numel = self.storage.kind, self.storage.numel
        if kind.dtype is None:
            raise errors.CheckpointError(
                f"got a tensor of {kind.name}; known: {', '.join(sorted(DTYPES))}"
            )
        if self.metadata:
            raise errors.CheckpointError(
                "got a tensor with flags (conjugate, negative), expected a plain one"
            )
        if not self._well_formed():
            raise errors.CheckpointError("got a tensor with a malformed description")
        described = (
            f"size {self.size}, stride {self.stride}, offset {self.offset} in {numel} "
            "elements"
        )
        if not self._inside():
            raise errors.CheckpointError(
                f"got a tensor that reaches beyond its storage: {described}"
            )
        if self._repeats():
            raise errors.CheckpointError(
                f"got a tensor that repeats elements of its storage: {described}; save "
                "it again as a copy (.contiguous())"
            )

    def _inside(self) -> bool:
        if math.prod(self.size) == 0:
            return self.offset <= self.storage.numel
        steps = zip(self.size, self.stride, strict=True)
        last = self.offset + sum((size - 1) * stride for size, stride in steps)
        return last < self.storage.numel

    def _repeats(self) -> bool:
        """Whether a small storage is spread to a larger tensor, or might be."""
        elements = math.prod(self.size)
        steps = zip(self.size, self.stride, strict=True)
        stays = any(size > 1 and stride == 0 for size, stride in steps)
        return elements > self.storage.numel or (elements > 0 and stays)

    def _well_formed(self) -> bool:
        if not isinstance(self.size, tuple) or not isinstance(self.stride, tuple):
            return False
        numbers = (*self.size, *self.stride, self.offset, self.storage.numel)
        # `type`, since True and False are integers, too.
        return (
            len(self.size) == len(self.stride) <= MAX_DIMENSIONS
            and all(type(number) is int for number in numbers)
            and all(0 <= number <= MAX_BYTES for number in numbers)
        )
