"""What is in a checkpoint that torch.save wrote as a stream (PyTorch < 1.6)?

Five pickles (a magic number, the protocol, the machine, the object, the keys of its
storages), then for each key a count and that many elements.
"""

import functools
import mmap
from typing import Any

import numpy as np

from convert import errors, opcodes, pickles, tensors

MAGIC = 0x1950A86A20F9469CFC6C
PROTOCOL = 1001
COUNT_BYTES = 8
# Of each pickle before the object's; what the machine is takes some forty. Each of five
# at the limit of the object's would take a second.
HEADER_OPERATIONS = 1000


def read(content: mmap.mmap) -> tuple[Any, set[str]]:
    """Return the object tree and the names of the globals that have placeholders.

    Args:
        content: the mapped file; tensors are views of it.

    Raises:
        CheckpointError: the stream is broken, unsafe or not PyTorch's.
    """
    stream = _Stream(content)
    content.seek(0)
    few = HEADER_OPERATIONS
    header = [stream.unpickle(pickles.no_storage, MAGIC, few)]
    header += [stream.unpickle(pickles.no_storage, None, few) for _ in range(2)]
    if header[:2] != [MAGIC, PROTOCOL]:
        raise errors.CheckpointError(
            "got a pickle that torch.save did not write (no magic number)"
        )
    if not isinstance(header[2], dict) or header[2].get("little_endian") is not True:
        raise errors.CheckpointError(
            "got a checkpoint of a big-endian machine; save it again on another"
        )
    tree = stream.unpickle(stream.storage)
    stream.locate(stream.unpickle(pickles.no_storage))
    return tree, stream.placeholders


class _Stream:
    def __init__(self, content: mmap.mmap):
        self._content = content
        self.placeholders: set[str] = set()
        self._declared: dict[str, tuple[tensors.StorageType, int]] = {}
        self._first_byte: dict[str, int] = {}

    def unpickle(
        self, persistent_load, known: int | None = None, operations: int | None = None
    ) -> Any:
        """The object of the pickle at the stream's position, which moves on."""
        start = self._content.tell()
        end = opcodes.scan(self._content, known, operations)
        data = self._content[start:end]
        return pickles.loads(data, persistent_load, self.placeholders)

    def storage(self, persistent_id: Any) -> Any:
        """The storage of a persistent id; where it lies is only known at the end."""
        if isinstance(persistent_id, tuple) and persistent_id[:1] == ("module",):
            # A whole network was saved, with its source code beside its class.
            return persistent_id[1] if len(persistent_id) > 1 else None
        kind, key, numel, view = pickles.storage_of(persistent_id)
        if self._declared.setdefault(key, (kind, numel)) != (kind, numel):
            raise errors.CheckpointError(f"got two descriptions of storage {key!r}")
        offset = 0
        if view is not None:
            match view:
                case (_, int(offset), int(length)) if offset >= 0 <= length:
                    numel = length
                case _:
                    raise errors.CheckpointError("got a malformed view of a storage")
        load = functools.partial(self._load, key, offset)
        return tensors.Storage(kind, numel, load)

    def locate(self, keys: Any) -> None:
        """Find where each storage begins, by the order of the keys."""
        if not isinstance(keys, list) or set(map(type, keys)) - {str}:
            raise errors.CheckpointError("got no list of storage keys")
        position, size = self._content.tell(), self._content.size()
        for key in keys:
            if key not in self._declared or key in self._first_byte:
                raise errors.CheckpointError(f"got the storage {key!r:.80} unannounced")
            kind, numel = self._declared[key]
            if kind.dtype is None:
                raise errors.CheckpointError(
                    f"got a storage of {kind.name}; known: "
                    + ", ".join(sorted(tensors.DTYPES))
                )
            count = self._content[position : position + COUNT_BYTES]
            self._first_byte[key] = position + COUNT_BYTES
            position += COUNT_BYTES + numel * kind.dtype.itemsize
            if int.from_bytes(count, "little") != numel or not 0 <= numel <= size:
                raise errors.CheckpointError(
                    f"got another number of elements in storage {key!r:.80} than the "
                    f"{numel} described; the file is damaged, so download it again"
                )
        if position > size:
            raise errors.CheckpointError(
                f"got {size} bytes, expected {position}; the file is truncated, so "
                "download it again"
            )

    def _load(self, key: str, offset: int, dtype: np.dtype, numel: int) -> np.ndarray:
        kind, total = self._declared[key]
        if key not in self._first_byte or dtype != kind.dtype or offset + numel > total:
            raise errors.CheckpointError(f"got no elements for storage {key!r:.80}")
        first = self._first_byte[key] + offset * dtype.itemsize
        return np.frombuffer(self._content, dtype, numel, first)
