"""Which small versions of the published image sets are drawn, and under which names?

One row is one tree. Rows of one stream of scenes show the same objects in the same
poses, whatever else their settings change: a stylised image is that of its number.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import UInt8

from biases_jax import labels
from biases_jax.miniature import classes, encoding, world
from biases_jax.miniature.settings import (
    ADVERSARIAL,
    EASIER,
    FOREIGN_TEXTURE,
    HARDER,
    NATURAL,
    OUTLINE,
    RENDITION,
    TEST,
    Settings,
)
from biases_jax.sources import catalog, preprocess, validation

KINDS = tuple(range(len(classes.KINDS)))
FILED_SIDE = 256  # pixels, where the policy keeps the central 224 as they are
MOST = 50  # images of a class: as many have published numbers


class Item(NamedTuple):
    """An image to draw: its place below the tree's root, its number in the stream.

    `kind` gives the silhouette, `cue` the texture where the settings ask for the own
    one; `condition` is what is done to the picture, '' for nothing.
    """

    path: str
    index: int
    kind: int
    cue: int
    condition: str = ""


def drawn(
    rows: "ImageSet", items: Sequence[Item], seed: int
) -> UInt8[np.ndarray, "n side side 3"]:
    """Return the pictures of items, as they are drawn."""
    indices, kinds, cues = np.array([item[1:4] for item in items]).T
    stream = seed_of(rows.stream, seed)
    return world.draw(stream, indices, rows.settings, rows.side, kinds, cues).images


class ImageSet(NamedTuple):
    """A tree to write, below the data root; `stream` names its scenes.

    `side` is that of the scenes' pictures. `render` takes the set, some of its items
    and the seed, and returns their pictures; `quality` is that of JPEG files.
    """

    source: str
    folder: str
    settings: Settings
    side: int
    stream: str
    items: tuple[Item, ...]
    render: Callable[["ImageSet", Sequence[Item], int], np.ndarray] = drawn
    quality: int = encoding.JPEG_QUALITY


def seed_of(stream: str, seed: int) -> int:
    """Return the seed of a stream of scenes, 32 bits."""
    digest = hashlib.sha256(f"{stream}/{seed}".encode()).digest()
    return int.from_bytes(digest[:4])


def catalogue(per_class: int, pairs: int) -> list[ImageSet]:
    """Return the sources of the catalogue that are drawn, `imagenet` first.

    Those that are made from others are left out.

    Args:
        per_class: images of each class, 1 to 50.
        pairs: cue-conflict images of each pair of a shape and another texture.

    Raises:
        ValueError: either is out of range.
    """
    if not 1 <= per_class <= MOST or not 1 <= pairs <= MOST:
        raise ValueError(
            f"got {per_class} images of a class and {pairs} of a pair, expected 1 to "
            f"{MOST} of each: a class has {MOST} numbered validation images"
        )
    versions = ("matched_frequency", HARDER), ("threshold_0.7", NATURAL)
    versions += (("top_images", EASIER),)
    numbered = _numbered("JPEG"), _numbered("png")
    return [
        _set("imagenet", NATURAL, per_class, numbered[0]),
        *(
            _set(f"imagenet_v2/{name}", settings, per_class, _in_integer_folder)
            for name, settings in versions
        ),
        _set("imagenet_a", ADVERSARIAL, per_class, _unique, classes.IN_A),
        _set("imagenet_r", RENDITION, per_class, _named("art_{}.jpg"), classes.IN_R),
        _set("imagenet_sketch", OUTLINE, per_class, _named("sketch_{}.JPEG")),
        _set(
            *("stylized_imagenet", FOREIGN_TEXTURE, per_class, numbered[1]),
            stream="imagenet",
        ),
        _set("model_vs_human/stylized", FOREIGN_TEXTURE, per_class, _session),
        _cue_conflict(pairs),
    ]


def numbers(kind: int) -> list[int]:
    """Return the numbers of the published validation images of a kind's class."""
    published = validation.classes() == classes.INDICES[kind]
    return [int(i) + 1 for i in published.nonzero()[0]]


def _set(
    source: str,
    settings: Settings,
    per_class: int,
    path: Callable[[int, int], str],
    kinds: Sequence[int] = KINDS,
    stream: str = "",
) -> ImageSet:
    items = tuple(
        Item(path(kind, number), number * len(KINDS) + kind, kind, kind)
        for number in range(per_class)
        for kind in kinds
    )
    row = catalog.SOURCES[source]
    published = row.preprocessing == "none_224"
    side = preprocess.SIZE if published else FILED_SIDE
    return ImageSet(source, row.folders[0], settings, side, stream or source, items)


def _cue_conflict(pairs: int) -> ImageSet:
    names = labels.CATEGORIES
    items = tuple(
        Item(
            f"{names[shape]}/{names[shape]}{n + 1}-{names[texture]}{n + 1}.png",
            (n * len(KINDS) + shape) * len(KINDS) + texture,
            shape,
            texture,
        )
        for n in range(pairs)
        for shape in KINDS
        for texture in KINDS
        if shape != texture
    )
    empty = _set("cue_conflict", TEST, 0, _unique)
    return empty._replace(items=items)


def wnid(kind: int) -> str:
    """Return the wnid of a kind's class."""
    return labels.WNIDS[classes.INDICES[kind]]


def _numbered(suffix: str) -> Callable[[int, int], str]:
    of_kind = [numbers(kind) for kind in KINDS]
    return lambda kind, number: (
        f"{wnid(kind)}/ILSVRC2012_val_{of_kind[kind][number]:08d}.{suffix}"
    )


def _named(form: str) -> Callable[[int, int], str]:
    return lambda kind, number: f"{wnid(kind)}/{form.format(number)}"


def _unique(kind: int, number: int) -> str:
    return f"{wnid(kind)}/{classes.INDICES[kind]:03d}_{number}.jpg"


def _in_integer_folder(kind: int, number: int) -> str:
    return f"{classes.INDICES[kind]}/{number}.jpeg"


def _session(kind: int, number: int) -> str:
    category = labels.CATEGORIES[kind]
    trial = number * len(KINDS) + kind + 1
    image = f"{category}-{number + 1:04d}-drawn"
    return f"dnn/session-1/{trial:04d}_sty_dnn_0_{category}_00_{image}.png"
