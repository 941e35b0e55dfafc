"""Which files lie in a folder, whatever it is that holds the folder?"""

from typing import Protocol, runtime_checkable

from etils import epath


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
    """A folder of a file system, or of a bucket."""

    def __init__(self, root: epath.PathLike):
        self._root = epath.Path(root)
        self.where = str(root)

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
        """Return a file's content; raises OSError if it cannot be read."""
        return (self._root / location).read_bytes()


def visible(names: list[str]) -> list[str]:
    """Return the names of files that no system hides."""
    return [name for name in names if not name.startswith(".")]
