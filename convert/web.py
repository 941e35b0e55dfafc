"""How is a web server asked, and which of its answers are failures?"""

import contextlib
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Any

import requests

from biases_jax import version
from convert import retries, sniff

TIMEOUT = (10.0, 30.0)  # seconds to connect, and between two bytes
PAGE_BYTES = 2**16  # of a web page that came in place of a file
# What may pass by itself. The last is a body cut off, or none of the announced kind.
PASSING = (
    requests.exceptions.ConnectionError,
    requests.exceptions.Timeout,
    requests.exceptions.ChunkedEncodingError,
)


@contextlib.contextmanager
def get(url: str, headers: Mapping[str, str]) -> Iterator[requests.Response]:
    """Open the answer to a GET, of which the body is still to be read.

    Redirects are followed, but never from https to http. 416 is an answer, too.

    Raises:
        TransientError: an answer or a broken connection after which to try again.
        OSError: another status than 200, 206 and 416; or no encrypted connection.
    """
    _check_encrypted(url)
    # Compressed bodies have other lengths and ranges than the file.
    every = {"Accept-Encoding": "identity", "User-Agent": _agent()}
    try:
        with (
            _Session() as session,
            session.get(
                url, headers={**every, **headers}, stream=True, timeout=TIMEOUT
            ) as response,
        ):
            _check_status(response)
            yield response
    except PASSING as error:
        raise retries.TransientError(f"the connection failed: {error}") from error


def read_json(url: str) -> Any:
    """Return the JSON of an address, with as many attempts as it takes.

    Raises:
        OSError: it cannot be had, or is no JSON.
    """

    def attempt() -> Any:
        with get(url, {"Accept": "application/json"}) as response:
            try:
                return response.json()
            except requests.exceptions.JSONDecodeError as error:
                raise OSError(f"got no JSON from {url}: {error}") from error

    return retries.until_done(attempt)


def check_is_no_page(response: requests.Response):
    """Refuse an answer that says it is HTML.

    Raises:
        PageError: with the likely cause.
    """
    kind = response.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        start = next(response.iter_content(PAGE_BYTES), b"")
        raise sniff.page(start.decode("utf-8", "replace"))


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> str | None:
        target = super().get_redirect_target(resp)
        if target is not None:
            _check_encrypted(urllib.parse.urljoin(resp.url, target))
        return target


def _agent() -> str:
    return f"biases_jax/{version.__version__}"


def _check_encrypted(url: str):
    parts = urllib.parse.urlsplit(url)
    local = parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")
    if parts.scheme != "https" and not local:
        raise OSError(f"got the address {url}, expected https")


def _check_status(response: requests.Response):
    status = response.status_code
    said = (
        f"{status} {response.reason} from {urllib.parse.urlsplit(response.url).netloc}"
    )
    if status in retries.STATUSES:
        wait = retries.asked(response.headers.get("Retry-After"))
        raise retries.TransientError(f"got {said}", wait)
    if status not in (200, 206, 416):
        raise OSError(f"got {said}")
