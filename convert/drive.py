"""How does a file come from Google Drive?"""

import contextlib
import importlib
import pathlib
import shutil
from collections.abc import Callable
from types import ModuleType

from biases_jax import progress
from convert import download as downloads
from convert import partial_file, sniff, web

PAGE = "https://drive.google.com/file/d/{}/view"
HOST = "drive.google.com"
RETRIES = 4
# What gdown says if nothing of the file is missing in the part of an earlier attempt.
NOT_RESUMED = "byte range"


class _ChangedError(OSError):
    """The file is no longer the one of which a part is there."""


def download(identity: str, part: pathlib.Path, title: str):
    """Bring a file to `part`, going on where an earlier attempt ended.

    Args:
        identity: of the file on Drive.
        part: where it goes, whole; until then gdown's own part lies beside it.
        title: of the progress that is shown.

    Raises:
        PageError: Drive refuses, most often since the file's quota is used up.
        OSError: gdown is not installed, or the download failed.
    """
    gdown = _gdown()
    whole = partial_file.PartialFile(part, page(identity))
    if whole.size and whole.size == whole.version.total:
        return
    folder = part.with_name(f"{part.name}.gdrive")
    try:
        output = _attempts(gdown, identity, folder, title)
    except gdown.exceptions.FileURLRetrievalError as error:
        raise sniff.page(str(error)) from error
    except gdown.exceptions.DownloadError as error:
        raise OSError(f"gdown failed: {error}") from error
    size = output.stat().st_size
    whole.begin(partial_file.Version(page(identity), total=size))
    partial_file.put_in_place(output, part)
    shutil.rmtree(folder)


def page(identity: str) -> str:
    """Return the address at which a browser gets the file."""
    return PAGE.format(identity)


def _gdown() -> ModuleType:
    try:
        return importlib.import_module("gdown")
    except ModuleNotFoundError as error:
        raise OSError(
            "Google Drive needs gdown, which is not installed: "
            "pip install 'biases_jax[gdrive]'"
        ) from error


def _attempts(
    gdown: ModuleType, identity: str, folder: pathlib.Path, title: str
) -> pathlib.Path:
    """Go on with an earlier attempt, or begin anew if that cannot be."""
    try:
        return _attempt(gdown, identity, folder, title)
    except _ChangedError:
        shutil.rmtree(folder)
    except gdown.exceptions.DownloadError as error:
        if NOT_RESUMED not in str(error):
            raise
        shutil.rmtree(folder)
    return _attempt(gdown, identity, folder, title)


def _attempt(
    gdown: ModuleType, identity: str, folder: pathlib.Path, title: str
) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        gdown.download(
            id=identity,
            output=str(folder / identity),
            quiet=True,
            resume=True,
            timeout=web.TIMEOUT,
            retries=RETRIES,
            progress=_teller(stack, folder, title),
        )
    return folder / identity


def _teller(
    stack: contextlib.ExitStack, folder: pathlib.Path, title: str
) -> Callable[[int, int | None], None]:
    """What shows gdown's progress, and ends it if the disk is too small or all is new.

    Drive tells no version, so the size has to do; it is noted beside the part.
    """
    shown: list[progress.Progress] = []
    last = 0
    note = folder / "total"

    def begin(done: int, total: int | None):
        downloads.check_space(folder, (total or done) - done)
        if note.exists() and note.read_text() != str(total):
            raise _ChangedError(f"got a file of {total} bytes, of another size before")
        partial_file.write_whole(note, str(total))
        shown.append(progress.Progress(total or 0, title, progress.BYTES, done))
        stack.callback(shown[0].close)

    def tell(done: int, total: int | None):
        nonlocal last
        if shown:
            shown[0].add(done - last, HOST)
        else:
            begin(done, total)
        last = done

    return tell
