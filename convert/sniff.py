"""Are these the first bytes of a checkpoint, or of something else in its place?"""

import re

from convert import errors, torch_legacy

START = 512  # bytes; a tar archive says so at 257
MAX_BYTES = 8 * 2**30  # of a file; the largest of the 48 has 0.2 GB
MAX_HEADER = 16 * 2**20  # of a .safetensors file; a ResNet-50's has 40 kB
EXPECTED = "expected a checkpoint of torch.save (zip or legacy stream) or .safetensors"
ZIP, LEGACY, SAFETENSORS = "torch_zip", "torch_legacy", "safetensors"
# LONG1, ten bytes: how pickle writes the legacy stream's magic number.
LEGACY_MAGIC = b"\x8a\x0a" + torch_legacy.MAGIC.to_bytes(10, "little")
# First bytes of what is downloaded or renamed by mistake.
STRANGERS = (
    (re.compile(rb"\x1f\x8b"), "a gzip archive: unpack it"),
    (
        re.compile(rb".{257}ustar", re.DOTALL),
        "a tar archive: the format of PyTorch before 0.1.10, or files to unpack",
    ),
    (re.compile(rb"version https://git-lfs"), "a Git LFS pointer, not the file"),
    (re.compile(rb"\x89HDF"), "an HDF5 file"),
)
MARKUP = re.compile(rb"(\xef\xbb\xbf)?\s*<")
# What a host's page says when it sends no file. Drive's quota page also offers a login.
CAUSES = (
    (r"\b404\b|not found|\bgone\b", "the host no longer has it there"),
    (
        r"quota|too many users|many accesses|bandwidth",
        "the host's download quota for this file is used up, often for a day",
    ),
    (r"virus scan|download anyway|confirm", "the host asks for consent first"),
    (r"\bsign[ -]?in\b|\blog[ -]?in\b|password", "the host asks for a login"),
    (r"denied|permission|request access|forbidden", "the host denies access"),
    (r"captcha|\brobot\b|challenge", "the host wants a person"),
)


class PageError(errors.CheckpointError):
    """A web page in the place of a file; says why the host sent it, if it says so."""


def container(start: bytes) -> str:
    """Return which container begins so: `ZIP`, `LEGACY` (any pickle) or `SAFETENSORS`.

    Args:
        start: the first `START` bytes of a file, or more; all if it has fewer.

    Raises:
        PageError: a web page; names its title and the likely cause.
        CheckpointError: anything else; says what it looks like.
    """
    if start.startswith(b"PK\x03\x04"):
        return ZIP
    # Before the others: the length of a header may begin as a pickle or a text does,
    # but no pickle is followed by a brace after a number so small.
    if int.from_bytes(start[:8], "little") <= MAX_HEADER and start[8:9] == b"{":
        return SAFETENSORS
    if start.startswith(b"\x80"):
        return LEGACY
    if MARKUP.match(start):
        raise page(start.decode("utf-8", "replace"))
    for pattern, description in STRANGERS:
        if pattern.match(start):
            raise errors.CheckpointError(f"got {description}; {EXPECTED}")
    raise errors.CheckpointError(f"got unknown first bytes {start[:8]!r}; {EXPECTED}")


def check_download(start: bytes):
    """Refuse what no author of a checkpoint can have published.

    Args:
        start: as for `container`.

    Raises:
        CheckpointError: as from `container`; also for a pickle that is no checkpoint.
    """
    if container(start) == LEGACY and LEGACY_MAGIC not in start[:32]:
        raise errors.CheckpointError(
            f"got a pickle that torch.save did not write (no magic number); {EXPECTED}"
        )


def page(text: str) -> PageError:
    """Return the error that tells of a page with this text."""
    title = re.search(r"<title[^>]*>\s*(.*?)\s*</title", text, re.I | re.DOTALL)
    named = f" titled {title[1]!r:.100}" if title else ""
    # The title first: any page may offer a login.
    searched = (title[1] if title else "", text)
    likely = [
        said
        for part in searched
        for words, said in CAUSES
        if re.search(words, part, re.I)
    ]
    cause = likely[0] if likely else "a quota, login or consent page, or a dead link"
    return PageError(f"got an HTML or XML page{named}, not the file: {cause}")
