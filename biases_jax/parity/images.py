"""On which handful of images are frameworks compared?

Noise of less than a grey level is added to them. In flat regions, as of a burnt-out
sky, all values in a window of the max-pool are equal but for rounding, which then
decides where the gradient goes: even in float64 it was 1e-2 off on photographs.
"""

import glob
import hashlib
import pathlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from biases_jax import photographs
from biases_jax.models import activations
from biases_jax.sources import preprocess

POLICY = "pil_bilinear_256_224"
MOST = 32  # all values of all stages are kept: 50 MB an image in float64
SEED = 0


class Images(NamedTuple):
    """Images by name, RGB in [0, 1], the same numbers for every precision."""

    names: tuple[str, ...]
    pixels: activations.Pixels

    @property
    def sha256(self) -> str:
        """The sum of the pixels, in order."""
        return hashlib.sha256(np.ascontiguousarray(self.pixels).tobytes()).hexdigest()


def default() -> Images:
    """Return a crop of each photograph."""
    names = tuple(photographs.PHOTOGRAPHS)
    return _decoded(names, [photographs.crops(name, 1)[0] for name in names])


def own(place: str) -> Images:
    """Return the images of a folder, a file, or all that a pattern matches.

    Raises:
        ValueError: there are none, too many, or one cannot be decoded.
    """
    folder = pathlib.Path(place).expanduser()
    found = folder.rglob("*")
    if not folder.is_dir():
        found = map(pathlib.Path, glob.glob(str(folder), recursive=True))
    files = sorted(path for path in found if path.is_file())
    if not 0 < len(files) <= MOST:
        raise ValueError(
            f"got {len(files)} file(s) in {place}, expected 1 to {MOST} images: a "
            "folder, a file or a pattern like 'photos/*.jpg'"
        )
    return _decoded([str(file) for file in files], [f.read_bytes() for f in files])


def _decoded(names: Sequence[str], files: Sequence[bytes]) -> Images:
    decoded = []
    for name, content in zip(names, files, strict=True):
        try:
            decoded.append(preprocess.decode(content, POLICY))
        except preprocess.CorruptImage as error:
            raise ValueError(
                f"{name}: got no image, or a broken one: {error}"
            ) from error
    return Images(tuple(names), without_ties(np.stack(decoded)))


def without_ties(images: np.ndarray) -> activations.Pixels:
    """Return uint8 images in [0, 1), each value at random within its grey level."""
    noise = np.random.default_rng(SEED).random(images.shape)
    return ((images + noise) / 256).astype(np.float32)
