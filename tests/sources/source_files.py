"""Which small images, trees and sources do the tests of this folder share?"""

import dataclasses
import io
import json
import pathlib

import numpy as np
from PIL import Image

from biases_jax import labels
from biases_jax.sources import catalog, dataset


def encode(pixels, file_format="JPEG", **options) -> bytes:
    """Return an image file's bytes."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(pixels)
    buffer = io.BytesIO()
    image.save(buffer, file_format, **options)
    return buffer.getvalue()


def noise(width, height, seed=0) -> np.ndarray:
    """Return a random picture, in which a shift by one pixel shows."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (height, width, 3), dtype=np.uint8)


def source(**changes) -> catalog.Source:
    """Return ImageNet's row, for a set of any size."""
    return dataclasses.replace(
        catalog.SOURCES["imagenet"], **({"expected": None, "numbered": False} | changes)
    )


def pictures(n: int) -> dict[str, bytes]:
    """Return n small JPEGs by their place in a tree, over five classes."""
    wnids = [labels.WNIDS[i] for i in (0, 1, 10, 100, 2)]
    return {
        f"{wnids[i % 5]}/ILSVRC2012_val_{i + 1:08d}.JPEG": encode(
            noise(40 + i, 50 - i, seed=i)
        )
        for i in range(n)
    }


def write_tree(root: pathlib.Path, files: dict[str, bytes]) -> None:
    """Write files by their path below the root."""
    for location, data in files.items():
        path = root / location
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def declare(root: pathlib.Path, **content) -> None:
    """Write `dataset.json`."""
    (root / "dataset.json").write_text(json.dumps(content))


def opened(root: pathlib.Path, files: dict[str, bytes]) -> dataset.Dataset:
    """Write files as a tree and open it."""
    write_tree(root / "val", files)
    return dataset.open_source(source(), str(root), str(root / "no_tfds"))
