"""Which images does a training step see? A function of the recipe and the step."""

import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Int, UInt8

from biases_jax.miniature.classes import KINDS
from biases_jax.miniature.recipes import Recipe

BATCH = 64  # images of a step, over all devices


class Part(NamedTuple):
    """The images of one step, and their classes, 0 to 15."""

    images: UInt8[np.ndarray, "b s s 3"]
    classes: Int[np.ndarray, " b"]


def batches(
    recipe: Recipe, sets: Mapping[str, np.ndarray], first: int, steps: int
) -> Iterator[Part]:
    """Yield the batches of steps `first` to `steps`.

    Each set has equal parts, and each epoch another order.
    """
    arrays = [sets[name] for name in recipe.sets]
    share = BATCH // len(arrays)
    for step in range(first, steps):
        chosen = [
            _places(recipe.name, number, step * share, share, len(array))
            for number, array in enumerate(arrays)
        ]
        images = [array[np.sort(c)] for array, c in zip(arrays, chosen, strict=True)]
        classes = np.concatenate([np.sort(c) % len(KINDS) for c in chosen])
        order = np.random.default_rng(step).permutation(BATCH)
        yield Part(np.concatenate(images)[order], classes[order].astype(np.int32))


def _places(name: str, number: int, start: int, count: int, size: int) -> np.ndarray:
    """Return entries start to start + count of the endless sequence of epochs."""
    wanted = np.arange(start, start + count)
    orders = {
        epoch: np.random.default_rng(
            [zlib.crc32(name.encode()), number, epoch]
        ).permutation(size)
        for epoch in np.unique(wanted // size).tolist()
    }
    return np.array([orders[w // size][w % size] for w in wanted.tolist()])
