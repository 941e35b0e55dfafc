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
RETRIES = 4
# What gdown says if nothing of the file is missing in the part of an earlier attempt.
NOT_RESUMED = "byte range"


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
    folder.mkdir(parents=True, exist_ok=True)
    output = folder / identity
    try:
        try:
            _download(gdown, identity, output, title)
        except gdown.exceptions.DownloadError as error:
            if NOT_RESUMED not in str(error):
                raise
            shutil.rmtree(folder)
            folder.mkdir()
            _download(gdown, identity, output, title)
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


def _download(gdown: ModuleType, identity: str, output: pathlib.Path, title: str):
    with contextlib.ExitStack() as stack:
        gdown.download(
            id=identity,
            output=str(output),
            quiet=True,
            resume=True,
            timeout=web.TIMEOUT,
            retries=RETRIES,
            progress=_teller(stack, output.parent, title),
        )


def _teller(
    stack: contextlib.ExitStack, folder: pathlib.Path, title: str
) -> Callable[[int, int | None], None]:
    """What shows gdown's progress, and ends it at once if the disk is too small."""
    shown: list[progress.Progress] = []
    last = 0

    def tell(done: int, total: int | None):
        nonlocal last
        if not shown:
            downloads.check_space(folder, (total or done) - done)
            shown.append(progress.Progress(total or 0, title, progress.BYTES, done))
            stack.callback(shown[0].close)
        else:
            shown[0].add(done - last, "drive.google.com")
        last = done

    return tell
