"""How does a published file come into the folder of weights, whole and verified?"""

import contextlib
import hashlib
import os
import pathlib
from collections.abc import Iterator, Sequence

import filelock
from absl import logging

from biases_jax.models import spec
from convert import errors, first_use, hosts, partial_file, sniff

# Of Hugging Face's own library, whose users have it in their environments.
OFFLINE_VARIABLE = "HF_HUB_OFFLINE"
WHOLE = 64  # digits of a sum; fewer may be those of several files


class FetchError(OSError):
    """No source has the file; says why of each, and how to get it by hand."""


def fetch(
    published: Sequence[spec.Published], folder: pathlib.Path, *, offline: bool = False
) -> pathlib.Path:
    """Return the path of the first of equivalent files that is there and right.

    Files in the folder come first, then the sources in order. What is downloaded gets
    its name when it is whole and verified: by the published sum, by the host's own,
    or by that of its first download, which is recorded (`first_use`).

    Args:
        published: the preferred file first; each becomes `folder / file`.
        folder: of weights. Unfinished downloads stay in its `.partial`, for later.
        offline: use only what is there. HF_HUB_OFFLINE=1 in the environment does the
            same; in neither case is a socket opened.

    Raises:
        FetchError: none of them can be had.
    """
    failures: dict[spec.Published, str] = {}
    for source in published:
        with _noting(failures, source):
            path = _place(folder, source)
            if path.is_file():
                _check(path, folder, source, hosts.Promise())
                return path
    offline = offline or is_offline()
    for source in published:
        if offline or source in failures:
            failures.setdefault(source, "not in the folder, and --offline")
            continue
        with _noting(failures, source):
            return _download(source, folder)
    raise FetchError(_message(failures, folder))


@contextlib.contextmanager
def _noting(failures: dict[spec.Published, str], source: spec.Published):
    try:
        yield
    except (OSError, ValueError) as error:
        failures[source] = str(error)
        logging.info("%s from %s: %s", source.file, source.uri, error)


def _download(source: spec.Published, folder: pathlib.Path) -> pathlib.Path:
    path = _place(folder, source)
    with _alone(folder, source.file):
        if path.is_file():  # by now, since another process was faster
            _check(path, folder, source, hosts.Promise())
            return path
        part = folder / first_use.PARTIAL / f"{source.file}.part"
        entry = first_use.read(folder).get(source.file)
        logging.info("%s: downloading from %s", path, source.uri)
        promise = hosts.bring(source.uri, part, source.file, entry)
        try:
            sha256 = _check(part, folder, source, promise)
        except errors.CheckpointError:
            partial_file.forget(part)
            raise
        found = first_use.Entry(
            source.uri, sha256, part.stat().st_size, promise.etag, promise.revision
        )
        # Before the file has its name: without the entry any other would be trusted.
        first_use.write(folder, source.file, found)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial_file.put_in_place(part, path)
        partial_file.forget(part)
        return path


@contextlib.contextmanager
def _alone(folder: pathlib.Path, file: str) -> Iterator[None]:
    """Let one process and thread at a time download a file."""
    lock = filelock.FileLock(first_use.lock_path(folder, file))
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        logging.info("%s: waiting, since another process downloads it", file)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _check(
    path: pathlib.Path,
    folder: pathlib.Path,
    source: spec.Published,
    promise: hosts.Promise,
) -> str:
    """Return the file's sum if it has all the sums that are known."""
    with path.open("rb") as stream:
        sniff.check_download(stream.read(sniff.START))
        stream.seek(0)
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        stream.seek(0)
        md5 = hashlib.file_digest(stream, "md5").hexdigest() if promise.md5 else ""
    for found, wanted, whose in (
        (sha256, source.sha256, "published sha256"),
        (sha256, promise.sha256, "sha256 that the host states"),
        (md5, promise.md5, "md5 that the host states"),
    ):
        if not found.startswith(wanted):
            raise errors.CheckpointError(
                f"{path}: got {found}, expected the {whose} {wanted}: not the "
                "published file, or damaged"
            )
    if len(source.sha256) < WHOLE:
        first_use.check(_place(folder, source), folder, sha256)
    return sha256


def _place(folder: pathlib.Path, source: spec.Published) -> pathlib.Path:
    file = pathlib.PurePosixPath(source.file)
    if file.is_absolute() or ".." in file.parts or not file.name:
        raise ValueError(f"got the file name {source.file!r}, expected one in a folder")
    return folder / file


def is_offline() -> bool:
    """Return whether the environment forbids downloads."""
    value = os.environ.get(OFFLINE_VARIABLE, "")
    return value.upper() in ("1", "ON", "YES", "TRUE")


def _message(failures: dict[spec.Published, str], folder: pathlib.Path) -> str:
    lines = [f"got none of {len(failures)} source(s):"]
    lines += [f"  {source.uri}: {said}" for source, said in failures.items()]
    lines.append("Download one of them in a browser and save it there:")
    for source in failures:
        lines.append(f"  {hosts.page(source.uri)} as {folder / source.file}")
    return "\n".join(lines)
