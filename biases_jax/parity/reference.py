"""How are one framework's answers kept, for a machine that lacks it?

An .npz archive without pickled objects: the images, and of each model some values of
every stage. `about` holds all that describes them, as JSON.
"""

import dataclasses
import json
import os
import pathlib
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from biases_jax.models import activations
from biases_jax.parity import described, images, runs

FORMAT = "biases_jax parity reference 1"
# What NumPy raises on files that are cut, are no archive, or hold Python objects.
BROKEN = (ValueError, KeyError, EOFError, OSError, zipfile.BadZipFile, zlib.error)


@dataclasses.dataclass(frozen=True)
class Reference:
    """A model's answers by precision; the gradient is that of the `labels`."""

    name: str
    weights_sha256: str
    labels: activations.Labels
    runs: Mapping[str, runs.Run]


@dataclasses.dataclass(frozen=True)
class Archive:
    """References on the same images, by the model's name."""

    images: images.Images
    references: Mapping[str, Reference]


def write(path: str | os.PathLike, archive: Archive) -> None:
    """Write an archive, whole or not at all."""
    path = pathlib.Path(path)
    arrays, models = {"images": archive.images.pixels}, []
    for index, reference in enumerate(archive.references.values()):
        arrays[f"{index}/labels"] = reference.labels.astype(np.int64)
        kept = [runs.thinned(run) for run in reference.runs.values()]
        for run in kept:
            for stage, values in run.values.items():
                arrays[f"{index}/{run.precision}/{stage}"] = values.array
        models.append(_described(reference, kept))
    about = {"format": FORMAT, "images": archive.images.names, "models": models}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, **arrays)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def prepare(path: str | os.PathLike) -> None:
    """Make the folder of an archive that is to be written, and try to write there.

    Raises:
        ValueError: nothing can be written there.
    """
    path = pathlib.Path(path)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        part.unlink()
    except OSError as error:
        raise ValueError(
            f"{path}: got a place where no archive can be written ({error}); give "
            "--write_reference another file"
        ) from error
    if path.is_dir():
        raise ValueError(f"{path}: got a folder, expected the name of an .npz file")


def read(path: str | os.PathLike) -> Archive:
    """Read what `write` wrote.

    Raises:
        ValueError: it is absent, cut, no such archive, or holds something else.
    """
    if not pathlib.Path(path).is_file():
        raise ValueError(f"{path}: no such file; --write_reference writes one")
    try:
        # Opened here, since NumPy leaves a file open that it cannot read.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(bytes(arrays["about"]))
            if about["format"] != FORMAT:
                raise ValueError(f"got format {about['format']!r}, expected {FORMAT!r}")
            names = tuple(about["images"])
            pixels = _checked(arrays, "images", np.float32, (len(names),), 4)
            references = {
                model["name"]: _read(arrays, index, model, pixels)
                for index, model in enumerate(about["models"])
            }
            return Archive(images.Images(names, pixels), references)
    except (*BROKEN, AttributeError, TypeError) as error:
        raise ValueError(
            f"{path}: got no archive of --write_reference, or a damaged one "
            f"({type(error).__name__}: {error}); write it again"
        ) from error


def _described(reference: Reference, kept: Sequence[runs.Run]) -> dict[str, Any]:
    return {
        "name": reference.name,
        "weights_sha256": reference.weights_sha256,
        "runs": [
            {
                "framework": run.framework,
                "precision": run.precision,
                "about": dict(run.about),
                "stages": {
                    stage: [values.size, values.channels, values.stride]
                    for stage, values in run.values.items()
                },
            }
            for run in kept
        ],
    }


def _read(
    arrays: Mapping[str, np.ndarray],
    index: int,
    model: Mapping[str, Any],
    pixels: np.ndarray,
) -> Reference:
    found, count = {}, len(pixels)
    for run in model["runs"]:
        precision = run["precision"]
        described.check(precision, run["stages"], pixels[0].size)
        dtype = np.float64 if precision == "float64" else np.float32
        values = {}
        for stage, (size, channels, stride) in run["stages"].items():
            key, kept = f"{index}/{precision}/{stage}", -(-size // stride)
            array = _checked(arrays, key, dtype, (count, kept), 2)
            values[stage] = runs.Values(array, size, channels, stride)
        found[precision] = runs.Run(run["framework"], precision, values, run["about"])
    if not found:
        raise ValueError(f"got no precision of {model['name']}, expected at least one")
    labels = _checked(arrays, f"{index}/labels", np.int64, (count,), 1)
    return Reference(model["name"], model["weights_sha256"], labels, found)


def _checked(
    arrays: Mapping[str, np.ndarray],
    key: str,
    dtype: Any,
    shape: tuple[int, ...],
    dimensions: int,
) -> np.ndarray:
    """Return an array whose dtype and first sizes are as they should be."""
    array = arrays[key]
    fits = array.ndim == dimensions and array.shape[: len(shape)] == shape
    if array.dtype != dtype or not fits:
        raise ValueError(
            f"got {key} as {array.dtype} {list(array.shape)}, expected "
            f"{np.dtype(dtype)} beginning with {list(shape)}"
        )
    return array
