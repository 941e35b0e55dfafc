"""Are the models converted, undamaged, and those that the paper measured?"""

import hashlib
import pathlib
from collections.abc import Mapping
from typing import Any

from etils import epath

from biases_jax.doctor.findings import Finding
from biases_jax.models import checkpoints, functions, load
from biases_jax.models.names import Reference

HEADER = ("model", "state", "weights", "arrays", "files")
UNCONVERTED = "not converted yet"
_OTHER = "not the paper's weights"  # as manifests have it


def examine(
    reference: Reference, folder: epath.Path
) -> tuple[tuple[str, ...], list[Finding]]:
    """Return a model's line under `HEADER`, and what is wrong.

    A model that is not converted yet is no fault here: the stage `convert` comes before
    all measuring, and `weights` looks for its files. `folder` is that of all converted
    models.
    """
    name = reference.name
    place = folder / name
    if not reference.function and not checkpoints.is_complete(place):
        return (name, UNCONVERTED, "-", "-", "-"), []
    try:
        load.weights_sha256(reference, folder)
        if reference.function:
            return (name, "function", "-", "-", "-"), []
        manifest = checkpoints.read_manifest(place)
        return _converted(name, place, manifest)
    except functions.FAILURES as error:  # a user's code, or damage of any kind
        return (name, "unusable", "-", "-", "-"), [Finding(name, _said(error))]


def _converted(
    name: str, place: epath.Path, manifest: Mapping[str, Any]
) -> tuple[tuple[str, ...], list[Finding]]:
    found = []
    verdict = manifest.get("fingerprint", {})
    if verdict.get("status") == _OTHER:
        message = (
            f"got {verdict.get('verdict')}, expected the weights that the paper "
            f"measured; fetch the published file and convert it, or call this model by "
            f"another name ({name}_own=path)"
        )
        found.append(Finding(name, message))
    arrays = "whole"
    try:
        checkpoints.load_unfolded(place)
    except functions.FAILURES as error:
        arrays = "damaged"
        message = f"{place}: {_said(error)}; delete that folder and convert again"
        found.append(Finding(name, message))
    files = _files(manifest)
    if files == "changed":
        message = (
            f"got another file than the one converted into {place}, expected the same "
            "sha256; convert it again, or restore the file"
        )
        found.append(Finding(name, message))
    return (name, "converted", verdict.get("status", "-"), arrays, files), found


def _files(manifest: Mapping[str, Any]) -> str:
    """Return whether the files converted are still there, and the same.

    One that changed is told although another is gone.
    """
    sources = [s for s in manifest.get("sources", {}).values() if "path" in s]
    there = [source for source in sources if pathlib.Path(source["path"]).is_file()]
    for source in there:
        with open(source["path"], "rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != source["sha256"]:
                return "changed"
    # A conversion stands for itself.
    return "there" if there and len(there) == len(sources) else "gone"


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
