"""How is a tar archive read as if it were unpacked, without unpacking it?

An archive is a stranger's: nothing in it is written, followed or trusted. Its index is
read once, and then each image from its place.
"""

import functools
import os
import sys
import tarfile
from collections.abc import Iterator
from typing import IO

from absl import logging

from biases_jax.sources import files

MOST = 5_000_000  # members; the largest published archive has a million
_HEADER = 64 * 2**10  # bytes of one header: a name, not a bomb
_COMPRESSED = {b"\x1f\x8b": "gunzip", b"BZh": "bunzip2", b"\xfd7zXZ": "unxz"}

Extent = tuple[int, int]  # where a file's bytes begin in the archive, and how many
Folders = dict[str, dict[str, Extent | None]]  # what lies in each; None: a folder


class ArchiveError(ValueError):
    """An archive that is not read; the message says what is wrong and what to do."""


class TarFolder:
    """A folder within a tar archive; `inside` is '' for the archive's top."""

    def __init__(self, path: str | os.PathLike, inside: str = ""):
        self._path = os.fspath(path)
        self._inside = inside
        self._state = _state(os.stat(self._path))
        self._folders = index(self._path)
        self.where = f"{self._path}/{inside}" if inside else self._path

    def names(self, folder: str = "") -> list[str]:
        """Return the visible names in a folder, sorted; none if there is no such."""
        return sorted(files.visible(list(self._folders.get(self._at(folder), {}))))

    def is_folder(self, location: str) -> bool:
        """Return whether a folder lies there."""
        return self._at(location) in self._folders

    def read(self, location: str) -> bytes:
        """Return a file's content; raises OSError if it cannot be read."""
        folder, _, name = self._at(location).rpartition("/")
        extent = self._folders.get(folder, {}).get(name)
        if extent is None:
            raise FileNotFoundError(f"{self._path}: got no file {location!r} in it")
        with open(self._path, "rb") as archive:
            if _state(os.fstat(archive.fileno())) != self._state:
                raise OSError(f"{self._path}: changed after it was listed")
            archive.seek(extent[0])
            return archive.read(extent[1])

    def size(self, location: str) -> int:
        """Return a file's size in bytes; 0 if there is none."""
        folder, _, name = self._at(location).rpartition("/")
        extent = self._folders.get(folder, {}).get(name)
        return extent[1] if extent else 0

    def below(self, ending: str) -> list["TarFolder"]:
        """Return the archive's folders whose path is `ending` or ends so ('': all)."""
        found = [f for f in self._folders if f"/{f}".endswith(f"/{ending}")]
        return [TarFolder(self._path, f) for f in (found if ending else self._folders)]

    def _at(self, location: str) -> str:
        return "/".join(part for part in (self._inside, location) if part)


def index(path: str) -> Folders:
    """Return where every file of an archive lies; read once while it is unchanged.

    Raises:
        ArchiveError: it is compressed or damaged, or holds what no published set has:
            links, devices, sparse or huge files, paths that leave it, a name twice.
    """
    return _index(path, *_state(os.stat(path)))


def _state(status: os.stat_result) -> tuple[int, int]:
    """Return what changes with an archive: its size, and when it was written (ns)."""
    return status.st_size, status.st_mtime_ns


@functools.lru_cache(maxsize=4)
def _index(path: str, size: int, _: int) -> Folders:
    folders: Folders = {"": {}}
    logging.info("%s: listing what is in it, once", path)  # a minute for a million
    with open(path, "rb") as archive:
        _refuse_compressed(path, archive.read(8))
        archive.seek(0)
        for number, member in enumerate(_members(path, archive)):
            if number >= MOST:
                raise ArchiveError(f"{path}: got over {MOST} members, expected fewer")
            problem = _problem(member, size) or _enter(folders, member)
            if problem:
                raise ArchiveError(
                    f"{path}: got {member.name!r}, {problem}; expected plain files "
                    "and folders, each once: unpack it yourself and look, or fetch it "
                    "again"
                )
    return folders


def _problem(member: tarfile.TarInfo, size: int) -> str:
    """Return why a member is not to be trusted, '' if it is."""
    parts = member.name.split("/")
    if member.name.startswith("/") or ".." in parts or "\\" in member.name:
        return "which is a path that leaves the archive"
    if member.issym() or member.islnk():
        return f"which is a link to {member.linkname!r}"
    if member.issparse():
        return "which is a sparse file"
    if not member.isreg() and not member.isdir():
        return "which is a device or of unknown kind"
    if not 0 <= member.size <= files.LARGEST:
        return f"which claims {member.size} bytes, over the limit of {files.LARGEST}"
    if member.isreg() and member.offset_data + member.size > size:
        return f"which claims {member.size} bytes, more than the archive still has"
    return ""


def _enter(folders: Folders, member: tarfile.TarInfo) -> str:
    """Put a member into the index; return why it cannot be there, '' if it can."""
    parts = [sys.intern(p) for p in member.name.split("/") if p not in ("", ".")]
    if not parts:
        return "" if member.isdir() else "which has no name"
    folder = ""
    for depth, name in enumerate(parts if member.isdir() else parts[:-1], 1):
        if folders[folder].setdefault(name, None) is not None:
            return "which lies in a file"
        folder = "/".join(parts[:depth])
        folders.setdefault(folder, {})
    if member.isdir():
        return ""
    if parts[-1] in folders[folder]:
        return "which is there twice"
    folders[folder][parts[-1]] = (member.offset_data, member.size)
    return ""


class _Headers:
    """An archive's bytes for the reader of headers, which must ask for few at once."""

    def __init__(self, file: IO[bytes]):
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, count: int) -> bytes:
        """Return the next bytes."""
        if not 0 <= count <= _HEADER:
            raise tarfile.ReadError(f"a header claims {count} bytes")
        return self._file.read(count)


def _members(path: str, file: IO[bytes]) -> Iterator[tarfile.TarInfo]:
    try:
        archive = tarfile.TarFile(
            path, fileobj=_Headers(file), encoding="utf-8", errors="surrogateescape"
        )
        while (member := archive.next()) is not None:
            archive.members.clear()  # a million of them would fill the memory
            yield member
        file.seek(archive.offset)
        whole = file.read(tarfile.BLOCKSIZE) == bytes(tarfile.BLOCKSIZE)
    # The last three are what the library raises on forged headers.
    except (tarfile.TarError, OverflowError, RecursionError, ValueError) as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(
            f"{path}: got no whole tar archive ({type(error).__name__}: {error}); "
            "fetch it again"
        ) from error
    if not whole:
        raise ArchiveError(
            f"{path}: got an archive without an end, damaged or cut off; fetch it again"
        )


def _refuse_compressed(path: str, head: bytes) -> None:
    for magic, tool in _COMPRESSED.items():
        if head.startswith(magic):
            raise ArchiveError(
                f"{path}: got a compressed archive, in which no image can be read by "
                f"itself; expected a plain one: run {tool} on it first"
            )
