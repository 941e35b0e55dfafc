"""Which commit of a repository on Hugging Face is meant, and what is its file's sum?

The file itself comes over the web as any other: `hf_hub_download` would begin anew
after each interruption (huggingface_hub 2.4), and this project's files stay resumable.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import huggingface_hub
from huggingface_hub import errors as hub_errors

from convert import retries

ENDPOINT: str | None = None  # None stands for HF_ENDPOINT or https://huggingface.co
COMMIT = re.compile("[0-9a-f]{40}")
SHORT = re.compile("[0-9a-f]{7,39}")
SUM = re.compile("[0-9a-f]{64}")

Result = TypeVar("Result")


class Address(NamedTuple):
    """A file in a repository; `revision` may be short, or '' for the newest."""

    repository: str
    file: str
    revision: str


class Located(NamedTuple):
    """A file at a commit. `sha256` is '' for what is in git itself, as texts are."""

    url: str
    headers: dict[str, str]
    revision: str
    sha256: str
    size: int | None


def parse(rest: str) -> Address:
    """Return what `<owner>/<repository>/<file>[@<revision>]` says.

    Raises:
        ValueError: it is not of this form.
    """
    match = re.fullmatch(r"([^/@]+/[^/@]+)/([^@]+)(?:@([^@/]+))?", rest)
    if match is None:
        raise ValueError(
            f"got hf:{rest}, expected hf:<owner>/<repository>/<file>[@<revision>]"
        )
    return Address(match[1], match[2], match[3] or "")


def locate(address: Address, locked: str = "") -> Located:
    """Return where a file is, at a commit that can no longer change.

    Args:
        address: of the file.
        locked: the commit that an earlier download found for it, or ''.

    Raises:
        OSError: there is no such commit or file, or the host does not answer.
    """
    revision = locked or address.revision
    if SHORT.fullmatch(revision):
        revision = _full(address.repository, revision)
    url = _url(address, revision or "main")
    found = _ask(lambda: huggingface_hub.get_hf_file_metadata(url, endpoint=ENDPOINT))
    commit = found.commit_hash or ""
    if not COMMIT.fullmatch(commit) or revision not in ("", commit):
        raise OSError(f"got the commit {commit!r} from {url}, expected {revision!r}")
    etag = found.etag or ""
    return Located(
        _url(address, commit),
        huggingface_hub.utils.build_hf_headers(),
        commit,
        etag if SUM.fullmatch(etag) else "",
        found.size,
    )


def page(address: Address) -> str:
    """Return the address at which a browser gets the file."""
    return _url(address, address.revision or "main")


def _url(address: Address, revision: str) -> str:
    return huggingface_hub.hf_hub_url(
        address.repository, address.file, revision=revision, endpoint=ENDPOINT
    )


def _full(repository: str, short: str) -> str:
    """The commit that begins so; the host itself knows whole ones only."""
    api = huggingface_hub.HfApi(endpoint=ENDPOINT)
    commits = _ask(lambda: api.list_repo_commits(repository))
    found = [one.commit_id for one in commits if one.commit_id.startswith(short)]
    if len(found) != 1:
        raise OSError(
            f"got {len(found)} commits of {repository} that begin with {short}, "
            "expected one"
        )
    return found[0]


def _ask(question: Callable[[], Result]) -> Result:
    def attempt() -> Result:
        try:
            return question()
        except hub_errors.HfHubHTTPError as error:
            reason = (str(error).strip() or repr(error)).splitlines()[0]
            if error.response.status_code not in retries.STATUSES:
                raise OSError(f"got {reason}") from error
            wait = retries.asked(error.response.headers.get("Retry-After"))
            raise retries.TransientError(f"got {reason}", wait) from error
        except hub_errors.HTTPError as error:  # httpx's, for connections that fail
            raise retries.TransientError(f"the connection failed: {error}") from error

    return retries.until_done(attempt)
