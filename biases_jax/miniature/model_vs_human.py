"""Which model-vs-human sets can be computed from the drawn world?

File names as published (https://github.com/bethgelab/model-vs-human). All conditions of
all sets show the same scenes; their numbers are the last field of the names. Beside
them a set of conflicts between low and high frequencies, named as cue conflicts are.
"""

import functools
import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, UInt8

from biases_jax import labels
from biases_jax.miniature import edges, manipulations, sets, visibility, world
from biases_jax.miniature.degradations import DEGRADED, Degraded
from biases_jax.miniature.settings import ALONE, OUTLINE, TEST
from biases_jax.sources import preprocess
from biases_jax.sources.names import SESSION

STREAM = "model_vs_human"  # the scenes of all sets here
CUT = 16.0  # cycles per image, between low and high frequencies
_DRAWING = threading.Lock()


def computed(per_class: int, scenes: int, conditions: int) -> list[sets.ImageSet]:
    """Return the sets that are made from drawn pictures or drawn otherwise.

    Args:
        per_class: images of each class in sets of one condition, 1 to 50.
        scenes: of each class in each condition of the other sets, 1 to 50; and of each
            pair of low and other high frequencies.
        conditions: of each set, at most: evenly spread, with the first and the last.

    Raises:
        ValueError: an argument is out of range.
    """
    counts = per_class, scenes
    if not all(1 <= count <= sets.MOST for count in counts) or conditions < 2:
        raise ValueError(
            f"got {per_class} images of a class, {scenes} scenes and {conditions} "
            f"conditions, expected 1 to {sets.MOST}, 1 to {sets.MOST}, and 2 or more"
        )
    return [
        _set("edge", ALONE, _in_folders(per_class), _edges),
        _set("silhouette", TEST, _in_folders(per_class), _silhouettes),
        _set("sketch", OUTLINE, _sketches(per_class), sets.drawn),
        *(
            _set(name, TEST, _degraded_items(row, scenes, conditions), _degrade)
            for name, row in DEGRADED.items()
        ),
        sets.ImageSet(
            *("frequency_cue_conflict", "frequency-cue-conflict", TEST),
            *(preprocess.SIZE, STREAM, _conflicts(scenes), _hybrids),
        ),
    ]


def _set(name, settings, items, render) -> sets.ImageSet:
    return sets.ImageSet(
        *(f"model_vs_human/{name}", f"model-vs-human/{name}", settings),
        *(preprocess.SIZE, STREAM, tuple(items), render),
    )


def _in_folders(per_class: int) -> list[sets.Item]:
    places = [(k, n) for n in range(per_class) for k in sets.KINDS]
    names = labels.CATEGORIES
    return [
        _item(f"{names[kind]}/{names[kind]}{number + 1}.png", number, kind)
        for kind, number in places
    ]


def _sketches(per_class: int) -> list[sets.Item]:
    return [
        _item(
            f"{SESSION}/{number * len(sets.KINDS) + kind + 1:04d}_ske_dnn_0_"
            f"{category}_00_{category}-{number + 1:04d}-sketch-{number + 1}.png",
            *(number, kind),
        )
        for number in range(per_class)
        for kind, category in enumerate(labels.CATEGORIES)
    ]


def _degraded_items(row: Degraded, scenes: int, most: int) -> list[sets.Item]:
    chosen = np.linspace(0, len(row.conditions) - 1, min(most, len(row.conditions)))
    places = [
        (row.conditions[round(c)], number, kind)
        for c in chosen
        for number in range(scenes)
        for kind in sets.KINDS
    ]
    return [
        _item(
            f"{SESSION}/{trial:04d}_{row.experiment}_dnn_{condition}_"
            f"{labels.CATEGORIES[kind]}_{row.code}_{sets.wnid(kind)}_{number + 1}.png",
            *(number, kind, condition),
        )
        for trial, (condition, number, kind) in enumerate(places, 1)
    ]


def _conflicts(scenes: int) -> tuple[sets.Item, ...]:
    names = labels.CATEGORIES
    return tuple(
        sets.Item(
            f"{names[low]}/{names[low]}{number + 1}-{names[high]}{number + 1}.png",
            *(number * len(sets.KINDS) + low, low, high),
        )
        for number in range(scenes)
        for low in sets.KINDS
        for high in sets.KINDS
        if low != high
    )


def _item(path: str, number: int, kind: int, condition: str = "") -> sets.Item:
    return sets.Item(path, number * len(sets.KINDS) + kind, kind, kind, condition)


def _silhouettes(rows: sets.ImageSet, items: Sequence[sets.Item], seed: int):
    """Return the objects in black on white."""
    indices, kinds = np.array([item[1:3] for item in items]).T
    stream = sets.seed_of(rows.stream, seed)
    masks = visibility.seen(stream, indices, kinds, rows.settings).silhouettes
    return _eight_bits(1 - masks)


def _edges(rows: sets.ImageSet, items: Sequence[sets.Item], seed: int):
    """Return the edges of the pictures, black on white."""
    pictures = sets.drawn(rows, items, seed)
    return _eight_bits(
        1.0 - np.stack([edges.edges(manipulations.grey(p)) for p in pictures])
    )


def _degrade(rows: sets.ImageSet, items: Sequence[sets.Item], seed: int):
    change = DEGRADED[rows.source.removeprefix("model_vs_human/")].change
    photographs = _photographs(rows, seed)
    return np.stack(
        [
            _eight_bits(
                change(
                    *(photographs.pictures[item.index], item.condition),
                    np.random.default_rng([*item.path.encode(), seed]),
                    photographs.amplitude,
                )
            )
            for item in items
        ]
    )


def _hybrids(rows: sets.ImageSet, items: Sequence[sets.Item], seed: int):
    """Return the low frequencies of the kind's scene, the high ones of the cue's."""
    pictures = _photographs(rows, seed).pictures
    made = []
    for item in items:
        other = item.index - item.kind + item.cue  # the cue's scene of that number
        low, high = (manipulations.grey(pictures[i]) for i in (item.index, other))
        made.append(_eight_bits(manipulations.hybrid(low, high, CUT)))
    return np.stack(made)


class _Photographs(NamedTuple):
    pictures: UInt8[np.ndarray, "n 224 224 3"]
    amplitude: np.ndarray


def _photographs(rows: sets.ImageSet, seed: int) -> _Photographs:
    """Return the pictures of all scenes, and their mean amplitude spectrum."""
    with _DRAWING:  # the sets share them: one thread draws, the others wait
        return _draw_photographs(max(item.index for item in rows.items) + 1, seed)


@functools.lru_cache(maxsize=1)
def _draw_photographs(count: int, seed: int) -> _Photographs:
    stream = sets.seed_of(STREAM, seed)
    pictures = world.draw(stream, np.arange(count), TEST).images
    grey = np.stack([manipulations.grey(picture) for picture in pictures])
    return _Photographs(pictures, manipulations.mean_amplitude(grey))


def _eight_bits(values: Float[np.ndarray, "..."]) -> UInt8[np.ndarray, "..."]:
    """Return images in [0, 1] as RGB; without a last axis of 3 they are grey."""
    if values.shape[-1] != 3:
        values = np.repeat(values[..., None], 3, axis=-1)
    return np.round(values * 255).astype(np.uint8)
