"""What is in a checkpoint that torch.save wrote as a zip archive (PyTorch >= 1.6)?"""

import functools
import io
import mmap
import pathlib
import struct
import zipfile
import zlib
from typing import Any

import numpy as np

from convert import errors, opcodes, pickles, tensors

MAX_ENTRIES = 20_000  # a ResNet-50 with its optimizer's state has a thousand
MAX_DIRECTORY = 2 * 2**20  # bytes of their list, of which Python takes ten times more
LOCAL_HEADER = struct.Struct("<4s22xHH")  # magic, lengths of name and extra field
FOLDER = 0x10  # among an entry's attributes: MS-DOS's bit of folders
BROKEN_ZIP = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    NotImplementedError,
    OverflowError,
    ValueError,
)


def read(path: pathlib.Path, content: mmap.mmap) -> tuple[Any, set[str]]:
    """Return the object tree and the names of the globals that have placeholders.

    Args:
        path: of the file, for `zipfile`.
        content: the same file, mapped. Tensors are views of it, so that all together
            take no memory but the file's own.

    Raises:
        CheckpointError: the archive is broken, unsafe or not PyTorch's, which stores
            all entries as they are: a compressed one might be a thousand times larger
            than the file.
    """
    archive = _Archive(path, content)
    order = archive.small("byteorder", b"little")
    if order != b"little":
        raise errors.CheckpointError(
            f"got a checkpoint in {order[:20]!r} byte order, expected little; save it "
            "again on a little-endian machine"
        )
    description = archive.small("data.pkl")
    opcodes.scan(io.BytesIO(description))
    placeholders: set[str] = set()
    tree = pickles.loads(description, archive.storage, placeholders)
    return tree, placeholders


class _Limited(io.FileIO):
    """A file of which `zipfile` reads no huge list of entries."""

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY:
            raise zipfile.BadZipFile(f"a list of entries of {size} bytes")
        return super().read(size)


class _Archive:
    def __init__(self, path: pathlib.Path, content: mmap.mmap):
        self._content = content
        try:
            with _Limited(path) as stream, zipfile.ZipFile(stream) as archive:
                entries = archive.infolist()
        except BROKEN_ZIP as error:
            raise errors.CheckpointError(
                f"got a broken zip archive ({error}); it may be truncated, so download "
                "it again"
            ) from error
        self._entries = _by_name(entries)
        stored = [e for e in entries if e.compress_type == zipfile.ZIP_STORED]
        total = sum(entry.file_size for entry in stored)
        if total > content.size():
            # They overlap, and it would take ages to sum the same bytes for each.
            raise errors.CheckpointError(
                f"got zip entries of {total} bytes in a file of {content.size()}"
            )
        roots = [name for name in self._entries if name.endswith("/data.pkl")]
        roots = [name for name in roots if name.count("/") == 1]
        if len(roots) != 1:
            raise errors.CheckpointError(
                f"got a zip archive with {len(roots)} entries <name>/data.pkl, "
                "expected the one that torch.save writes"
            )
        # The file's name when it was saved: it may have been renamed since.
        self._root = roots[0].removesuffix("data.pkl")
        self._declared: dict[str, tuple[tensors.StorageType, int]] = {}
        self._checked: dict[str, memoryview] = {}

    def small(self, name: str, absent: bytes | None = None) -> bytes:
        """The bytes of an entry of at most a pickle's size."""
        entry = self._entries.get(self._root + name)
        if entry is None and absent is not None:
            return absent
        if entry is None or entry.file_size > opcodes.MAX_BYTES:
            raise errors.CheckpointError(
                f"got a zip archive whose {name} is missing or too large"
            )
        return bytes(self._read(self._root + name))

    def storage(self, persistent_id: Any) -> tensors.Storage:
        """The storage of a persistent id; its bytes are read when asked for."""
        kind, key, numel, _ = pickles.storage_of(persistent_id)
        if self._declared.setdefault(key, (kind, numel)) != (kind, numel):
            raise errors.CheckpointError(f"got two descriptions of storage {key!r}")
        name = f"{self._root}data/{key}"
        return tensors.Storage(kind, numel, functools.partial(self._load, name))

    def _load(self, name: str, dtype: np.dtype, numel: int) -> np.ndarray:
        entry = self._entries.get(name)
        size = numel * dtype.itemsize
        if entry is None or entry.file_size != size or size > tensors.MAX_BYTES:
            found = "no such entry" if entry is None else f"{entry.file_size} bytes"
            raise errors.CheckpointError(
                f"got {found} for the storage {name}, expected {size} bytes"
            )
        if name not in self._checked:
            self._checked[name] = self._read(name)
        return np.frombuffer(self._checked[name], dtype, numel)

    def _read(self, name: str) -> memoryview:
        entry = self._entries[name]
        if entry.compress_type != zipfile.ZIP_STORED:
            raise errors.CheckpointError(
                f"got the compressed zip entry {name!r:.100}, expected a stored one as "
                "torch.save writes it; unpack the archive and zip it again without "
                "compression (zip -0), or save the checkpoint again"
            )
        if entry.compress_size != entry.file_size or entry.external_attr & FOLDER:
            # Other programs, torch among them, would read other bytes or none.
            raise errors.CheckpointError(
                f"got the zip entry {name!r:.100} with two sizes, or a folder's mark; "
                "the file is damaged, so download it again"
            )
        data = self._stored(entry)
        if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
            raise errors.CheckpointError(
                f"got other bytes in {name} than were saved (size or checksum); the "
                "file is damaged, so download it again"
            )
        return data

    def _stored(self, entry: zipfile.ZipInfo) -> memoryview:
        view = memoryview(self._content)
        header = view[entry.header_offset :][: LOCAL_HEADER.size]
        if len(header) < LOCAL_HEADER.size:
            raise errors.CheckpointError(f"got no {entry.filename} in the file")
        magic, name_length, extra_length = LOCAL_HEADER.unpack(header)
        if magic != zipfile.stringFileHeader:
            raise errors.CheckpointError(f"got no header before {entry.filename}")
        start = entry.header_offset + LOCAL_HEADER.size + name_length + extra_length
        return view[start : start + entry.file_size]


def _by_name(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    if len(entries) > MAX_ENTRIES:
        raise errors.CheckpointError(f"got a zip archive of {len(entries)} entries")
    named: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = entry.filename
        parts = name.split("/")
        if name.startswith("/") or "\\" in name or ".." in parts or name in named:
            raise errors.CheckpointError(f"got the zip entry {name!r:.100}, or twice")
        if entry.flag_bits & 1:
            raise errors.CheckpointError(f"got the encrypted zip entry {name!r:.100}")
        named[name] = entry
    return named
