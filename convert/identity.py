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
    """A file's sum, and whether it is one that was published.

    `digits` counts the published ones among its 64; 0 where none were.
    """

    sha256: str
    verified: bool
    digits: int


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
    digits = max((len(s) for s in sums if found.startswith(s)), default=0)
    return Identity(found, digits > 0, digits)


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


def check_mirror(row: spec.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Refuse a mirror's file of unknown sum whose weights are not the paper's.

    Raises:
        CheckpointError: its 3x3 kernels have other norms.
    """
    if manifest["fingerprint"]["status"] != fingerprint.OTHER:
        return
    for part, published in (("backbone", row.backbone), ("head", row.head)):
        source = manifest["sources"].get(part, {"verified": True})
        mirrors = [mirror for mirror in published[1:] if not mirror.sha256]
        for mirror in mirrors if not source["verified"] else ():
            if _bears(pathlib.Path(source["path"]), mirror.file):
                raise errors.CheckpointError(
                    f"{source['path']}: {manifest['fingerprint']['verdict']}. It came "
                    f"from a mirror ({mirror.uri}); remove it, and get "
                    f"{published[0].file} from {published[0].uri}"
                )


def warn(row: spec.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Log if a model of the zoo may be, or must be, of other weights."""
    if row.name not in zoo.MODELS:
        return
    found = manifest["fingerprint"]
    # The fingerprint is of kernels in the backbone; a head apart has none.
    proven = {"backbone"} if found["status"] == fingerprint.VERIFIED else set()
    unknown = [
        source["file"]
        for part, source in manifest["sources"].items()
        if not source["verified"] and part not in proven
    ]
    if found["status"] == fingerprint.OTHER:
        logging.warning(
            "%s: %s; its numbers do not stand for that model. %s",
            row.name,
            found["verdict"],
            OWN_NAME,
        )
    elif unknown:
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
