"""Where is a published file, by its uri, and what does its host promise about it?

Forms: `https://...`, `zenodo:<record>/<file>`, `gdrive:<id>`, and on Hugging Face
`hf:<owner>/<repository>/<file>[@<revision>]`.
"""

import pathlib
import urllib.parse
from typing import NamedTuple

from convert import download, drive, first_use, hub, web

ZENODO = "https://zenodo.org"


class Promise(NamedTuple):
    """What a host says of the file that it sent; '' where it says nothing."""

    sha256: str = ""
    md5: str = ""
    etag: str = ""
    revision: str = ""


def bring(
    uri: str, part: pathlib.Path, title: str, entry: first_use.Entry | None
) -> Promise:
    """Download a file to `part`, or what is missing of it there.

    Args:
        uri: of any of the forms.
        part: where the bytes go; it may hold those of an earlier attempt.
        title: of the progress that is shown.
        entry: of an earlier download from there, whose revision is used again.

    Raises:
        CheckpointError: what is there is no checkpoint.
        OSError: it cannot be had, or not stored.
        ValueError: an unknown form.
    """
    scheme, _, rest = uri.partition(":")
    locked = entry.revision if entry is not None and entry.uri == uri else ""
    if scheme in ("https", "http"):
        return Promise(etag=download.download(uri, part, title).etag)
    if scheme == "zenodo":
        return _zenodo(rest, part, title)
    if scheme == "gdrive":
        drive.download(rest, part, title)
        return Promise()
    if scheme == "hf":
        found = hub.locate(hub.parse(rest), locked)
        version = download.download(found.url, part, title, found.size, found.headers)
        return Promise(found.sha256, etag=version.etag, revision=found.revision)
    raise ValueError(f"got the uri {uri}, expected https:, hf:, gdrive: or zenodo:")


def page(uri: str) -> str:
    """Return the address at which a browser gets the file, or the uri as it is."""
    scheme, _, rest = uri.partition(":")
    if scheme == "zenodo":
        return f"{ZENODO}/records/{rest.partition('/')[0]}"
    if scheme == "gdrive":
        return drive.page(rest)
    if scheme != "hf":
        return uri
    try:
        return hub.page(hub.parse(rest))
    except ValueError:
        return uri


def _zenodo(rest: str, part: pathlib.Path, title: str) -> Promise:
    record, _, file = rest.partition("/")
    content = web.read_json(f"{ZENODO}/api/records/{record}")
    try:
        sizes = {one["key"]: (one["size"], one["checksum"]) for one in content["files"]}
        size, checksum = sizes[file]
    except (KeyError, TypeError) as error:
        raise OSError(
            f"got no file {file} with size and sum in Zenodo's record {record}"
        ) from error
    url = f"{ZENODO}/records/{record}/files/{urllib.parse.quote(file)}?download=1"
    version = download.download(url, part, title, size)
    kind, _, digits = (checksum or "").partition(":")
    return Promise(md5=digits if kind == "md5" else "", etag=version.etag)
