"""How much of a download is there, and of which version of the file?"""

import dataclasses
import json
import os
import pathlib


@dataclasses.dataclass(frozen=True)
class Version:
    """What tells a file on a server from a later one at the same address.

    `etag` and `modified` are as the server sent them, '' where it did not; `total` is
    the file's size in bytes, None where it is not known.
    """

    url: str
    etag: str = ""
    modified: str = ""
    total: int | None = None

    @property
    def validator(self) -> str:
        """What If-Range may hold (RFC 9110, 13.1.5); '' if nothing is strong enough."""
        strong = self.etag and not self.etag.startswith("W/")
        return self.etag if strong else self.modified


class PartialFile:
    """The bytes at `path`, and a note beside them that tells their version.

    There is no note without the bytes' being of it: it goes before they are changed.
    """

    def __init__(self, path: pathlib.Path, url: str):
        self.path = path
        self._note = _note(path)
        noted = self._read(url)
        self.version = noted or Version(url)
        if noted is None:
            forget(path)

    @property
    def size(self) -> int:
        """Bytes that are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def begin(self, version: Version):
        """Forget what is there, for bytes of this version to come."""
        forget(self.path)
        self.version = version
        write_whole(self._note, json.dumps(dataclasses.asdict(version)))

    def drop(self):
        """Remove the bytes and the note."""
        forget(self.path)
        self.version = Version(self.version.url)

    def _read(self, url: str) -> Version | None:
        """The note's version, None if it is of another address or damaged."""
        try:
            version = Version(**json.loads(self._note.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None
        return version if version.url == url else None


def forget(path: pathlib.Path):
    """Remove the bytes and their note, as far as they are there."""
    _note(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def write_whole(path: pathlib.Path, text: str):
    """Write a small file so that it is there whole or not at all, whatever happens."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.write_text(text)
    put_in_place(new, path)


def put_in_place(new: pathlib.Path, path: pathlib.Path):
    """Give a whole file its final name, once every byte is on the disk."""
    _to_disk(new)
    os.replace(new, path)
    _to_disk(path.parent)


def _note(path: pathlib.Path) -> pathlib.Path:
    return path.with_name(path.name + ".json")


def _to_disk(path: pathlib.Path):
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
