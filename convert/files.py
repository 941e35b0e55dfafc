"""Which files hold a model's weights, and are they the published ones?"""

import hashlib
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from absl import logging

from biases_jax.models import spec, zoo
from convert import errors, fingerprint

# Of files that a user names after the model. No wildcard: 'eps0.*' is also eps0.5.
ENDINGS = (".safetensors", ".pth", ".pth.tar", ".pt", ".ckpt", ".bin", ".tar")
OWN_NAME = "convert it as a model of your own: --models=my_name=path/to/file"


class Identity(NamedTuple):
    """A file's sum, and whether it is one that was published."""

    sha256: str
    verified: bool


def parts(row: spec.ModelSpec) -> dict[str, tuple[spec.Published, ...]]:
    """Return the published files by role: backbone and, where apart, head."""
    apart = row.layout is not None and row.layout.head is not None
    return {"backbone": row.backbone} | ({"head": row.head} if apart else {})


def rules(layout: spec.Layout, part: str) -> spec.Rules:
    """Return by which rules the file of this role is read."""
    return layout.head if part == "head" else layout.backbone


def absolute(path: str | pathlib.Path) -> str:
    """Return a path as manifests have it."""
    return str(pathlib.Path(path).expanduser().absolute())


def find(
    row: spec.ModelSpec, path: str | None, weights_dir: str
) -> dict[str, pathlib.Path]:
    """Return the model's files by role.

    Args:
        row: of the model.
        path: of its only file, or of the folder with its `backbone.*` and `head.*`;
            None to look in `weights_dir`.
        weights_dir: looked through for the published names, then `<model>.*`, then
            `<model>/backbone.*` and `<model>/head.*`.

    Raises:
        FileNotFoundError: a file is in none of these places; lists them.
        ValueError: two files could be meant, or `path` is a file for a model of two.
    """
    if path is None:
        return {part: find_part(row, part, weights_dir) for part in parts(row)}
    place = pathlib.Path(path).expanduser()
    if len(parts(row)) == 1:
        if not place.is_file():
            raise FileNotFoundError(f"got {path}, which is no file")
        return {"backbone": place}
    if not place.is_dir():
        raise ValueError(
            f"got the path {path} for {row.name}, whose layout has two files; give a "
            "folder with backbone.* and head.*, or for a published model put them into "
            f"--weights_dir as {row.name}/backbone.* and {row.name}/head.*"
        )
    return {part: _choose(row, part, [], [place / part]) for part in parts(row)}


def find_part(row: spec.ModelSpec, part: str, weights_dir: str) -> pathlib.Path:
    """Return a published model's file of one role; raises as `find` does."""
    folder = pathlib.Path(weights_dir).expanduser()
    stems = [folder / row.name / part]
    if len(parts(row)) == 1:
        stems.insert(0, folder / row.name)
    return _choose(row, part, [folder / f.file for f in parts(row)[part]], stems)


def identify(path: pathlib.Path, published: Sequence[spec.Published]) -> Identity:
    """Return the file's sum, checked against the published ones as far as known.

    A file that bears a published name must have that one's sum. Any other must have
    one of the sums, unless one of them is unknown: then it passes unverified.

    Raises:
        CheckpointError: it is another file than the published one.
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    sums = [file.sha256 for file in published]
    named = [f.sha256 for f in published if _bears(path, f.file)]
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
    verdict = fingerprint.Verdict(**manifest["fingerprint"])
    unknown = [s["file"] for s in manifest["sources"].values() if not s["verified"]]
    if verdict.status == fingerprint.OTHER:
        logging.warning(
            "%s: %s; its numbers do not stand for that model. %s",
            row.name,
            verdict,
            OWN_NAME,
        )
    elif unknown and verdict.status != fingerprint.VERIFIED:
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


def _choose(
    row: spec.ModelSpec,
    part: str,
    published: Sequence[pathlib.Path],
    stems: Sequence[pathlib.Path],
) -> pathlib.Path:
    """The first of the published files, or else the only one that begins so."""
    # Published files are the same in all forms: take the first. Others may differ.
    choices = [[file for file in published if file.is_file()][:1]]
    for stem in stems:
        files = [stem.with_name(stem.name + ending) for ending in ENDINGS]
        choices.append([file for file in files if file.is_file()])
    for choice in choices:
        if len(choice) > 1:
            raise ValueError(
                f"got {' and '.join(map(str, choice))} for {row.name}, expected one; "
                "remove or rename the others"
            )
        if choice:
            return choice[0]
    places = [str(file) for file in published] + [f"{stem}.*" for stem in stems]
    raise FileNotFoundError(
        f"{row.name} ({part}): got none of {', '.join(places)} (endings: "
        f"{' '.join(ENDINGS)}); put the file there, or give its folder as --weights_dir"
    )
