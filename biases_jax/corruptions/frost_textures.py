"""Which photographs of frost are at hand, and where are they cut?

Those of ImageNet-C are files of the package imagecorruptions (and of the repository
hendrycks/robustness); their origin is not stated, so none is kept here. Where they are
not at hand, `synthetic_frost` stands in, and the corruption has another name.
"""

import functools
import hashlib
import importlib.util
import math
import os
import pathlib
from typing import NamedTuple

import numpy as np
from PIL import Image

from biases_jax.corruptions import cubic, synthetic_frost
from biases_jax.types import Int, UInt8

FILES = ("frost1.png", "frost2.png", "frost3.png", "frost4.jpg", "frost5.jpg")
PACKAGE = "imagecorruptions"
RELEASE = "imagecorruptions-1.1.2"  # which has the files
PUBLISHED = f"{RELEASE}@c146cff9"  # the name of its files
VARIABLE = "BIASES_JAX_FROST"  # of the environment: a folder that has them
ENLARGEMENT = {"original": 1.0, "imagecorruptions": 1.1}  # by flavour

_folders: dict[str, pathlib.Path] = {}  # of the files found, by their name


class Textures(NamedTuple):
    """Photographs of one stack, and in how many rows and columns a crop may begin."""

    stack: UInt8[np.ndarray, "textures height width 3"]  # padded with 0
    starts: Int[np.ndarray, "textures 2"]


def find(folder: str | pathlib.Path = "") -> str:
    """Return the name of the textures at hand.

    Of the files in the folder or, without one, in that which `VARIABLE` names, or of
    an installed imagecorruptions: `imagecorruptions-1.1.2@` and eight digits of the
    files' SHA-256. Where there is none: `synthetic-v1`.

    Raises:
        FileNotFoundError: the folder lacks one of the files.
    """
    folder = folder or os.environ.get(VARIABLE, "")
    place = pathlib.Path(folder) if folder else _installed()
    if place is None:
        return synthetic_frost.NAME
    missing = [name for name in FILES if not (place / name).is_file()]
    if missing and folder:
        raise FileNotFoundError(
            f"got the folder {place} without {', '.join(missing)}, expected the frost "
            f"textures {', '.join(FILES)}; take the folder 'frost' of the package "
            f"{PACKAGE}, or none for synthetic textures ({VARIABLE} names one)"
        )
    if missing:
        return synthetic_frost.NAME
    contents = b"".join((place / name).read_bytes() for name in FILES)
    name = f"{RELEASE}@{hashlib.sha256(contents).hexdigest()[:8]}"
    _folders[name] = place
    return name


def lacks(name: str) -> str:
    """Return why textures of this name are not at hand, '' if they are."""
    if name == synthetic_frost.NAME or name in _folders or name == find():
        return ""
    return (
        f"got frost textures {name!r}, which are not at hand: found {find()!r}; "
        f"install them (pip install --no-deps {PACKAGE}==1.1.2), or name a folder that "
        f"has the files ({VARIABLE}=folder)"
    )


@functools.cache
def textures(name: str, flavour: str, height: int, width: int) -> Textures:
    """Return the textures of this name, enlarged where that is the flavour's way.

    Those that are smaller than images of this height and width grow to fit.

    Raises:
        ValueError: no textures of this name are at hand.
    """
    sized = [_sized(texture, flavour, height, width) for texture in _load(name)]
    tallest, widest = (max(t.shape[axis] for t in sized) for axis in (0, 1))
    stack = np.zeros((len(sized), tallest, widest, 3), np.uint8)
    for texture, place in zip(sized, stack, strict=True):
        place[: texture.shape[0], : texture.shape[1]] = texture
    # The reference leaves the last place out; a texture that just fits has only one.
    room = [(t.shape[0] - height, t.shape[1] - width) for t in sized]
    return Textures(stack, np.maximum(room, 1).astype(np.int32))


def _installed() -> pathlib.Path | None:
    # Found, not imported: the package needs versions that nothing else runs with.
    spec = importlib.util.find_spec(PACKAGE)
    places = (spec and spec.submodule_search_locations) or ()
    return next((pathlib.Path(place) / "frost" for place in places), None)


@functools.cache
def _load(name: str) -> tuple[UInt8[np.ndarray, "h w 3"], ...]:
    if name == synthetic_frost.NAME:
        return synthetic_frost.textures()
    reason = lacks(name)
    if reason:
        raise ValueError(reason)
    files = [Image.open(_folders[name] / file) for file in FILES]
    return tuple(np.asarray(file.convert("RGB")) for file in files)


def _sized(texture, flavour, height, width):
    """Return the texture, at least as large as the image, at the flavour's size."""
    tall, wide, _ = texture.shape
    factor = ENLARGEMENT[flavour] * max(1, height / tall, width / wide)
    if factor == 1:
        return texture
    return cubic.enlarged(texture, math.ceil(tall * factor), math.ceil(wide * factor))
