"""How much room do images and converted models take, and is there as much?"""

import pathlib
import shutil
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from biases_jax.doctor.findings import Finding
from biases_jax.doctor.weights import PARAMETERS
from biases_jax.sources.source import Source

# Bytes of an image that is not there. Those of ImageNet's validation archive have
# 135,000 in the mean, and a PNG file of 224 x 224 pixels about its 150,528 at most;
# JPEG files of that size, as the corrupted sets hold, are far smaller.
TYPICAL = 150_000
TYPICAL_CORRUPTED = 20_000
MODEL = 4 * sum(PARAMETERS.values())  # bytes: float32

Folders = Mapping[str, tuple[str, int]]  # by purpose: where, and bytes still to come


class Models(NamedTuple):
    """How many models are still to be converted, and how many files to be fetched."""

    convert: int
    fetch: int

    @property
    def bytes(self) -> int:
        """Of the converted models."""
        return self.convert * MODEL

    @property
    def download_bytes(self) -> int:
        """About that of their files; some hold an optimiser's state besides."""
        return self.fetch * MODEL


def absent(sources: Sequence[Source]) -> int:
    """Return about how many bytes the images of absent sources take."""
    return sum(
        source.expected.examples
        * (TYPICAL_CORRUPTED if source.name.startswith("imagenet_c") else TYPICAL)
        for source in sources
        if source.expected
    )


def described(
    there: int, absent_bytes: int, models: Models, folders: Folders
) -> list[str]:
    """Return lines on what is there, what is to come, and the room for it."""
    spaces = [
        f"{_said(space)} free for {purpose} at {folder}"
        for purpose, (folder, _) in folders.items()
        if (space := free(folder)) is not None
    ]
    return [
        f"disk: images here {_said(there)}, absent about {_said(absent_bytes)}; "
        f"models to convert {_said(models.bytes)}, to fetch about "
        f"{_said(models.download_bytes)}",
        *(f"      {space}" for space in spaces),
    ]


def shortages(folders: Folders) -> list[Finding]:
    """Return a note for each folder with less room than is still to come."""
    found = []
    for purpose, (folder, needed) in folders.items():
        space = free(folder)
        if space is not None and space < needed:
            message = (
                f"got {_said(space)} free for {purpose} at {folder}, expected about "
                f"{_said(needed)} for what is still to come; free some, or give a "
                "folder on another disk"
            )
            found.append(Finding("disk", message, grave=False))
    return found


def free(folder: str) -> int | None:
    """Return the bytes free where a folder is or would be; None for a bucket or ''."""
    if not folder or "://" in folder:
        return None
    path = pathlib.Path(folder).absolute()
    return shutil.disk_usage(next(p for p in (path, *path.parents) if p.exists())).free


def _said(size: int) -> str:
    return f"{size / 1e9:.1f} GB"
