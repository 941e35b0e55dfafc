"""What are the world's sixteen classes, and at which of ImageNet's do they sit?"""

from typing import NamedTuple

import numpy as np

from biases_jax import labels
from biases_jax.miniature import shapes, textures


class Kind(NamedTuple):
    """A class: its category of model-vs-human, one member class, its two cues."""

    category: str
    imagenet: int
    shape: str
    texture: str


# Shapes and textures that a network finds about equally easy belong together; else the
# measured bias would be that of the pairing. The members lie in the 200 classes of
# ImageNet-A or -R wherever a category has such a member, in both if one does.
KINDS: tuple[Kind, ...] = (
    Kind("airplane", 404, "arrow", "sails"),  # A
    Kind("bear", 296, "bolt", "mosaic"),  # R
    Kind("bicycle", 444, "bowtie", "checker"),
    Kind("bird", 11, "crescent", "camo"),  # A, R
    Kind("boat", 472, "cross", "bricks"),  # A, R
    Kind("bottle", 907, "disc", "dots"),  # A, R
    Kind("car", 817, "drop", "scales"),
    Kind("cat", 281, "fish", "wood"),  # R
    Kind("chair", 765, "flower", "zigzag"),  # A
    Kind("clock", 530, "heart", "pluses"),  # A
    Kind("dog", 207, "house", "bubbles"),  # A, R
    Kind("elephant", 386, "key", "plaid"),  # A
    Kind("keyboard", 508, "mushroom", "weave"),
    Kind("knife", 499, "ring", "stripes"),
    Kind("oven", 766, "star", "honeycomb"),
    Kind("truck", 555, "triangle", "net"),  # R
)
INDICES: tuple[int, ...] = tuple(kind.imagenet for kind in KINDS)
# The numbers of each kind's silhouette and texture, and the kind of each silhouette.
SHAPES = np.array([list(shapes.SHAPES).index(kind.shape) for kind in KINDS])
TEXTURES = np.array([list(textures.TEXTURES).index(kind.texture) for kind in KINDS])
KIND_OF_SHAPE = np.argsort(SHAPES)


def among(classes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers, 0 to 15, of the kinds that sit at one of these classes."""
    return tuple(i for i, index in enumerate(INDICES) if index in classes)


IN_A = among(labels.IMAGENET_A)
IN_R = among(labels.IMAGENET_R)
