"""Which files hold a model's weights, and are they the published ones?"""

import hashlib
import pathlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from absl import logging

from biases_jax.models import zoo
from convert import errors

# Of files that a user names after the model. No wildcard: 'eps0.*' is also eps0.5.
ENDINGS = (".safetensors", ".pth", ".pth.tar", ".pt", ".ckpt", ".bin", ".tar")
OWN_NAME = "convert it as a model of your own: --models=my_name=path/to/file"


class Identity(NamedTuple):
    """A file's sum, and whether it is one that was published."""

    sha256: str
    verified: bool


def parts(spec: zoo.ModelSpec) -> dict[str, zoo.Weights]:
    """Return the model's files by their role: backbone and, where apart, head."""
    head = {} if spec.head is None else {"head": spec.head}
    return {"backbone": spec.backbone, **head}


def find(
    spec: zoo.ModelSpec, path: str | None, weights_dir: str
) -> dict[str, pathlib.Path]:
    """Return the model's files by role.

    Args:
        spec: of the model.
        path: of its only file, or None to look in `weights_dir`.
        weights_dir: looked through for the published names, then `<model>.*`, then
            `<model>/backbone.*` and `<model>/head.*`.

    Raises:
        FileNotFoundError: a file is in none of these places; lists them.
        ValueError: two files could be meant, or `path` is given for a model of two.
    """
    if path is None:
        return {part: _find(spec, part, weights_dir) for part in parts(spec)}
    if spec.head is not None:
        raise ValueError(
            f"got the path {path} for {spec.name}, which has two files; put them into "
            f"--weights_dir as {spec.name}/backbone.* and {spec.name}/head.*"
        )
    file = pathlib.Path(path).expanduser()
    if not file.is_file():
        raise FileNotFoundError(f"got {path}, which is no file")
    return {"backbone": file}


def identify(path: pathlib.Path, weights: zoo.Weights) -> Identity:
    """Return the file's sum, checked against the published ones as far as known.

    A file that bears a published name must have that one's sum. Any other must have
    one of the sums, unless one of them is unknown: then it passes unverified.

    Raises:
        CheckpointError: it is another file than the published one.
    """
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    sums = [file.sha256 for file in weights.published]
    named = [f.sha256 for f in weights.published if _bears(path, f.file)]
    # A sum that nobody published is '', with which any text starts.
    if sums and not found.startswith(tuple(named or sums)):
        raise errors.CheckpointError(
            f"{path}: got sha256 {found}, expected {' or '.join(named or sums)}: not "
            f"the published file, or damaged. Download it again, or {OWN_NAME}"
        )
    known = tuple(digits for digits in sums if digits)
    return Identity(found, found.startswith(known))


def check_size(spec: zoo.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Refuse a network that cannot be the published one.

    Raises:
        CheckpointError: its width or number of classes is another.
    """
    found = (manifest["width"], manifest["num_classes"])
    wanted = (spec.width, spec.num_classes)
    if any(want not in (None, size) for size, want in zip(found, wanted, strict=True)):
        raise errors.CheckpointError(
            f"{spec.name}: got a network of width {found[0]} with {found[1]} classes, "
            f"expected width {wanted[0]} with {wanted[1]} classes: not the published "
            f"weights; {OWN_NAME}"
        )


def warn(spec: zoo.ModelSpec, manifest: Mapping[str, Any]) -> None:
    """Log which files of a model of the zoo have no sum that was published."""
    if spec.name not in zoo.MODELS:
        return
    for source in manifest["sources"].values():
        if not source.get("verified"):
            logging.warning(
                "%s: the sha256 of %s is none that is known to be published, so these "
                "may be other weights; compare its accuracy with the published %s %%",
                spec.name,
                source["file"],
                spec.top1,
            )


def _bears(path: pathlib.Path, name: str) -> bool:
    """Whether the path ends in a published name, its folder included if it has one."""
    parts = pathlib.PurePath(name).parts
    return path.absolute().parts[-len(parts) :] == parts


def _find(spec: zoo.ModelSpec, part: str, weights_dir: str) -> pathlib.Path:
    folder = pathlib.Path(weights_dir).expanduser()
    published = [folder / file.file for file in parts(spec)[part].published]
    stems = [f"{spec.name}/{part}"]
    if spec.head is None:
        stems.insert(0, spec.name)
    # Published files are the same in all forms: take the first. Others may differ.
    choices = [[file for file in published if file.is_file()][:1]]
    for stem in stems:
        files = [folder / f"{stem}{ending}" for ending in ENDINGS]
        choices.append([file for file in files if file.is_file()])
    for choice in choices:
        if len(choice) > 1:
            raise ValueError(
                f"got {' and '.join(map(str, choice))} for {spec.name}, expected one; "
                "remove or rename the others"
            )
        if choice:
            return choice[0]
    places = [str(file) for file in published]
    places += [f"{folder}/{stem}.*" for stem in stems]
    raise FileNotFoundError(
        f"{spec.name} ({part}): got none of {', '.join(places)} (endings: "
        f"{' '.join(ENDINGS)}); put the file there"
        + (", or give its folder as --weights_dir" if not weights_dir else "")
    )
