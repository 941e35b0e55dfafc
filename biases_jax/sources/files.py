"""Which files lie in a folder, whatever it is that holds the folder?"""

import os
import stat
from typing import Protocol, runtime_checkable

from etils import epath

LARGEST = 64 * 2**20  # bytes of one file; published images are far below


@runtime_checkable
class Files(Protocol):
    """A folder and all that lies below it; locations are relative, '/' between parts.

    `where` tells a person. `read` may be called from several threads.
    """

    where: str

    def names(self, folder: str = "") -> list[str]:
        """Return the visible names in a folder, sorted; none if there is no such."""

    def is_folder(self, location: str) -> bool:
        """Return whether a folder lies there."""

    def read(self, location: str) -> bytes:
        """Return a file's content; raises OSError if it cannot be read."""


class Folder:
    """A folder of a file system, or of a bucket.

    It may be a link, and so may what is in it, but to files below `within` only: the
    data root, or else the folder itself.
    """

    def __init__(self, root: epath.PathLike, within: epath.PathLike = ""):
        self._root = epath.Path(root)
        self.where = str(root)
        allowed = {os.path.realpath(place) for place in (root, within) if place}
        self._allowed = tuple(os.path.join(place, "") for place in allowed)

    def names(self, folder: str = "") -> list[str]:
        """Return the visible names in a folder, sorted; none if there is no such."""
        place = self._root / folder if folder else self._root
        if not place.is_dir():
            return []
        return sorted(visible([path.name for path in place.iterdir()]))

    def is_folder(self, location: str) -> bool:
        """Return whether a folder lies there."""
        return (self._root / location).is_dir()

    def read(self, location: str) -> bytes:
        """Return a file's content.

        Raises:
            OSError: it cannot be read, or is a pipe or device, too large, or a link
                that leaves the folder.
        """
        path = self._root / location
        if "://" in self.where:  # a bucket: plain objects only
            with path.open("rb") as file:
                return _capped(file.read(LARGEST + 1), path)
        if not os.path.realpath(path).startswith(self._allowed):
            raise OSError(
                f"{path}: got a link that leaves the folder, expected a file in it; "
                "put the file there, or the folder where the link leads"
            )
        with open(path, "rb", opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(f"{path}: got a pipe or device, expected a plain file")
            return _capped(file.read(LARGEST + 1), path)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file: a pipe too, which else waits until somebody writes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _capped(data: bytes, path: epath.Path) -> bytes:
    if len(data) > LARGEST:
        raise OSError(
            f"{path}: got over {LARGEST} bytes, expected an image; remove the file"
        )
    return data


def visible(names: list[str]) -> list[str]:
    """Return the names of files that no system hides."""
    return [name for name in names if not name.startswith(".")]
