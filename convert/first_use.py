"""Is a file of which no sum was published still the one that came first?"""

import datetime
import json
import pathlib
from typing import Any, NamedTuple

import filelock

from convert import errors, partial_file

RECORD = "fetched.lock.json"  # in the folder of weights
PARTIAL = ".partial"  # likewise, the folder of what is not whole or no weights


class Entry(NamedTuple):
    """What a downloaded file was: its source, its sum, its version at the host.

    `etag` and `revision` are '' where the host has none; `date` is ISO 8601, UTC.
    """

    uri: str
    sha256: str
    bytes: int
    etag: str = ""
    revision: str = ""
    date: str = ""


def read(folder: pathlib.Path) -> dict[str, Entry]:
    """Return the entries of a folder of weights, by the names of their files.

    Raises:
        CheckpointError: the record is damaged.
    """
    path = folder / RECORD
    try:
        content = json.loads(path.read_text())
        return {file: Entry(**entry) for file, entry in content["files"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise errors.CheckpointError(
            f"{path}: got a damaged record of downloads ({error!r:.100}); remove it, "
            "and files are trusted anew"
        ) from error


def write(folder: pathlib.Path, file: str, entry: Entry):
    """Record a download, dated now unless the same is there already."""
    with filelock.FileLock(lock_path(folder, RECORD)):
        entries = read(folder)
        if file in entries and entries[file]._replace(date="") == entry:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        entries[file] = entry._replace(date=now)
        content: dict[str, Any] = {
            "about": "What was downloaded, by file; sums are checked against it.",
            "files": {name: entries[name]._asdict() for name in sorted(entries)},
        }
        text = json.dumps(content, indent=1) + "\n"
        partial_file.write_whole(folder / RECORD, text)


def check(path: pathlib.Path, folder: pathlib.Path, sha256: str):
    """Refuse a file that is another one than was first downloaded.

    Args:
        path: of the file. One outside the folder, or without entry, passes.
        folder: of weights, with or without a record.
        sha256: of the file, all 64 digits.

    Raises:
        CheckpointError: the sum is another, or the record is damaged.
    """
    place, root = path.absolute(), folder.absolute()
    if not place.is_relative_to(root):
        return
    file = place.relative_to(root).as_posix()
    entry = read(folder).get(file)
    if entry is not None and entry.sha256 != sha256:
        raise errors.CheckpointError(
            f"{path} changed since it was first downloaded: got sha256 {sha256}, "
            f"expected {entry.sha256} of {entry.date} from {entry.uri}. If you trust "
            f"the new file, remove {file!r} from {folder / RECORD}; if not, remove the "
            "file"
        )


def lock_path(folder: pathlib.Path, file: str) -> pathlib.Path:
    """Return where processes wait for each other over a file; its folder is made."""
    path = folder / PARTIAL / f"{file}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
