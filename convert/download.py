"""How does a file come over the web whole, through failures, restarts and changes?"""

import contextlib
import dataclasses
import email.utils
import errno
import itertools
import pathlib
import re
import shutil
import urllib.parse
from collections.abc import Iterator, Mapping

import requests

from biases_jax import progress
from convert import partial_file, retries, sniff, web

CHUNK = 2**17  # bytes; what is lost of an attempt that breaks
MAX_BYTES = sniff.MAX_BYTES
MARGIN = 2**28  # bytes that a download leaves free on the disk


def download(
    url: str,
    path: pathlib.Path,
    title: str,
    size: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> partial_file.Version:
    """Bring a file to `path`, which may hold the first bytes of an earlier attempt.

    Args:
        url: https, or http of this machine.
        path: where the bytes go; a note of their version lies beside it.
        title: of the progress that is shown.
        size: in bytes, if it is known from elsewhere.
        headers: to send with each request.

    Returns:
        The version that is there now, all bytes of it.

    Raises:
        CheckpointError: it begins like no checkpoint; a web page is a `PageError`.
        OSError: it cannot be had, or not stored. What came is kept for later.
    """
    part = partial_file.PartialFile(path, url)
    task = _Task(part, title, size, dict(headers or {}))
    retries.until_done(task.attempt, lambda: part.size)
    return part.version


@dataclasses.dataclass(frozen=True)
class _Task:
    part: partial_file.PartialFile
    title: str
    size: int | None
    headers: dict[str, str]

    def attempt(self):
        """Bring what is missing, or as much of it as comes."""
        part = self.part
        if part.size and part.size == part.version.total:
            return
        if not part.version.validator:
            part.drop()
        headers = dict(self.headers)
        if part.size:
            headers["Range"] = f"bytes={part.size}-"
            headers["If-Range"] = part.version.validator
        with web.get(part.version.url, headers) as response:
            if response.status_code == 416:
                self._unsatisfied(response)
            else:
                web.check_is_no_page(response)
                self._receive(response)

    def _unsatisfied(self, response: requests.Response):
        """The server has no bytes after ours: they are all, or not its file's."""
        match = re.fullmatch(
            r"bytes \*/(\d+)", response.headers.get("Content-Range", "")
        )
        if not match or int(match[1]) != self.part.size or not self.part.size:
            self.part.drop()
            raise retries.TransientError("got 416 (no such range); beginning again")

    def _receive(self, response: requests.Response):
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding != "identity":
            raise OSError(f"got the encoding {encoding}, expected the file as it is")
        chunks = response.iter_content(CHUNK)
        if response.status_code == 206:
            total = self._continued(response)
        else:
            total = self._length(response)
            first = _first(chunks)
            sniff.check_download(first)
            self.part.begin(_version(self.part.version.url, response, total))
            chunks = itertools.chain([first], chunks)
        check_space(self.part.path.parent, (total or 0) - self.part.size)
        self._write(chunks, total)
        if total is not None and self.part.size != total:
            raise retries.TransientError(f"got {self.part.size} of {total} bytes")

    def _continued(self, response: requests.Response) -> int | None:
        """The file's size, if the answer goes on where the part ends."""
        said = response.headers.get("Content-Range", "")
        match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", said)
        version = self.part.version
        total = int(match[3]) if match and match[3] != "*" else version.total
        headers, modified = response.headers, version.modified
        same = headers.get("ETag", version.etag) == version.etag
        if modified:
            same &= headers.get("Last-Modified", modified) == modified
        if (
            not match
            or not self.part.size
            or int(match[1]) != self.part.size
            or not same
            or version.total not in (None, total)
        ):
            self.part.drop()
            raise retries.TransientError(
                f"got the range {said!r} of another version; beginning again"
            )
        return total

    def _length(self, response: requests.Response) -> int | None:
        """The body's size in bytes, None if its end is marked in another way."""
        text = response.headers.get("Content-Length", "")
        chunked = "chunked" in response.headers.get("Transfer-Encoding", "")
        total = int(text) if text.isdecimal() and not chunked else self.size
        if total is None and not chunked:
            raise OSError("got no length, so nothing tells whether all bytes came")
        if total is not None and total > MAX_BYTES:
            raise OSError(f"got a file of {total} bytes, expected at most {MAX_BYTES}")
        if self.size not in (None, total):
            raise OSError(f"got a file of {total} bytes, expected {self.size}")
        return total

    def _write(self, chunks: Iterator[bytes], total: int | None):
        shown = progress.Progress(
            total or 0, self.title, progress.BYTES, done=self.part.size
        )
        host = urllib.parse.urlsplit(self.part.version.url).netloc
        with contextlib.closing(shown), self.part.path.open("ab") as stream:
            for chunk in chunks:
                stream.write(chunk)
                stream.flush()
                shown.add(len(chunk), host)
                if stream.tell() > MAX_BYTES:
                    raise OSError(f"got more than {MAX_BYTES} bytes")


def check_space(folder: pathlib.Path, needed: int):
    """Refuse to write more bytes than the disk has, less a margin.

    Raises:
        OSError: ENOSPC; tells what is needed and what is free.
    """
    free = shutil.disk_usage(folder).free
    if needed + MARGIN > free:
        raise OSError(
            errno.ENOSPC,
            f"no space in {folder}: the download needs {needed / 1e6:.0f} MB and "
            f"leaves {MARGIN / 1e6:.0f} MB, but {free / 1e6:.0f} MB are free",
        )


def _first(chunks: Iterator[bytes]) -> bytes:
    """The first bytes, at least as many as tell a checkpoint."""
    first = b""
    while len(first) < sniff.START and (chunk := next(chunks, b"")):
        first += chunk
    return first


def _version(
    url: str, response: requests.Response, total: int | None
) -> partial_file.Version:
    headers = response.headers
    return partial_file.Version(url, headers.get("ETag", ""), _settled(headers), total)


def _settled(headers: Mapping[str, str]) -> str:
    """Last-Modified, if it is no longer of the second in which the answer was sent.

    Of such a file a later version may have the same date (RFC 9110, 8.8.2.2).
    """
    try:
        modified, now = (
            email.utils.parsedate_to_datetime(headers[name])
            for name in ("Last-Modified", "Date")
        )
        settled = (now - modified).total_seconds() >= 1
    except (KeyError, ValueError, TypeError):  # TypeError: only one has a time zone
        return ""
    return headers["Last-Modified"] if settled else ""
