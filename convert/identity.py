"""Are a model's files the published ones?"""

import hashlib
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from absl import logging

from biases_jax.models import spec, zoo
from convert import errors, fingerprint, first_use

OWN_NAME = "convert it as a model of your own: --models=my_name=path/to/file"


class Identity(NamedTuple):
    """A file's sum, and whether it is one that was published."""

    sha256: str
    verified: bool


def identify(
    path: pathlib.Path, published: Sequence[spec.Published], folder: pathlib.Path
) -> Identity:
    """Return the file's sum, checked against the published ones as far as known.

    A file that bears a published name must have that one's sum. Any other must have
    one of the sums, unless one of them is unknown: then it passes unverified. One that
    was downloaded into the folder of published files must be as it was then.

    Raises:
        CheckpointError: it is another file than the published one.
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    sums = [file.sha256 for file in published]
    named = [f.sha256 for f in published if _bears(path, f.file)]
    first_use.check(path, folder, found)
    # A sum that nobody published is '', with which any text starts.
    if sums and not found.startswith(tuple(named or sums)):
        raise errors.CheckpointError(
            f"{path}: got sha256 {found}, expected {' or '.join(named or sums)}: not "
            f"the published file, or damaged. Download it again, or {OWN_NAME}"
        )
    known = tuple(digits for digits in sums if digits)
    return Identity(found, found.startswith(known))


def check_size(row: spec.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Refuse a network that cannot be the published one.

    Raises:
        CheckpointError: its width or number of classes is another.
    """
    found = (manifest["width"], manifest["num_classes"])
    wanted = (row.width, row.num_classes)
    if any(want not in (None, size) for size, want in zip(found, wanted, strict=True)):
        raise errors.CheckpointError(
            f"{row.name}: got a network of width {found[0]} with {found[1]} classes, "
            f"expected width {wanted[0]} with {wanted[1]} classes: not the published "
            f"weights; {OWN_NAME}"
        )


def warn(row: spec.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Log if a model of the zoo may be, or must be, of other weights."""
    if row.name not in zoo.MODELS:
        return
    found = manifest["fingerprint"]
    unknown = [s["file"] for s in manifest["sources"].values() if not s["verified"]]
    if found["status"] == fingerprint.OTHER:
        logging.warning(
            "%s: %s; its numbers do not stand for that model. %s",
            row.name,
            found["verdict"],
            OWN_NAME,
        )
    elif unknown and found["status"] != fingerprint.VERIFIED:
        logging.warning(
            "%s: the sha256 of %s is none that is known to be published, so these may "
            "be other weights; compare its accuracy with the published %s %%",
            row.name,
            " and ".join(unknown),
            row.top1,
        )


def _bears(path: pathlib.Path, name: str) -> bool:
    """Whether the path ends in a published name, its folder included if it has one."""
    parts = pathlib.PurePath(name).parts
    return path.absolute().parts[-len(parts) :] == parts
