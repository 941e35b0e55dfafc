"""How are ImageNet-C and ImageNet-C-bar made from the drawn validation images?

As the published files were: of the images as networks see them, 224 pixels, with draws
of each severity's own, written as JPEG files of quality 85 under the clean ones' names.

An image draws by the key of its set and its number: that of `sets.seed_of` the source's
name ('imagenet_c/fog/3') with `Item.index` folded in. No benchmark draws by it, so
that `imagenet_c_jax` on the clean images is another draw of the same corruption.
"""

import collections
import concurrent.futures
import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import jax
import numpy as np
from absl import logging
from jaxtyping import UInt8

from biases_jax import corruptions, stimuli
from biases_jax.corruptions import corrupted, frost, frost_textures, names, summary
from biases_jax.corruptions.corruption import Corruption
from biases_jax.miniature import encoding, sets, world
from biases_jax.miniature.settings import Settings
from biases_jax.sources import catalog, preprocess
from biases_jax.transforms import compiled_part

FAMILIES = {"imagenet_c": names.NINETEEN, "imagenet_cbar": names.IMAGENET_CBAR}
SHAPE = (preprocess.SIZE, preprocess.SIZE, 3)
_CHUNKS = -(-sets.MOST * len(sets.KINDS) // world.CHUNK)  # of the largest set


def made_of(clean: sets.ImageSet) -> list[sets.ImageSet]:
    """Return the set of each corruption and severity, of the validation images.

    Args:
        clean: the set 'imagenet', whose items are numbered in their order.
    """
    return [
        clean._replace(
            source=source,
            folder=catalog.SOURCES[source].folders[0],
            render=_corrupt,
            quality=corrupted.QUALITY,
        )
        for family, known in FAMILIES.items()
        for name in known
        for source in summary.row(family, name)
    ]


def possible(rows: Sequence[sets.ImageSet]) -> list[sets.ImageSet]:
    """Return the sets that can be made here, and say which cannot, and why.

    Frost is of photographs that may not be at hand; nothing stands in for them.
    """
    found, lacking = [], collections.defaultdict(list)
    for row in rows:
        reason = corruption(row.source).lacks() if _is_corrupted(row) else ""
        if reason:
            lacking[reason].append(row.source)
        else:
            found.append(row)
    for reason, those in lacking.items():
        logging.warning("not drawn: %s: %s", ", ".join(those), reason)
    return found


def corruption(source: str) -> Corruption:
    """Return the corruption of a set of `FAMILIES`."""
    _, name, severity = source.split("/")
    if name == "frost":  # by default it takes textures that stand in
        return frost.Frost(int(severity), textures=frost_textures.PUBLISHED)
    return corruptions.get(name, int(severity))


def compile_all(
    rows: Sequence[sets.ImageSet], threads: concurrent.futures.ThreadPoolExecutor
) -> None:
    """Compile the programs of sets side by side, each once."""
    found = (corruption(row.source) for row in rows if _is_corrupted(row))
    one_of_each = {compiled_part(one): one for one in found}
    black = [np.zeros(SHAPE, np.uint8)]
    for _ in threads.map(lambda one: _images(one, 0, [0], black), one_of_each.values()):
        pass


def _is_corrupted(row: sets.ImageSet) -> bool:
    return row.source.split("/")[0] in FAMILIES


def _corrupt(rows: sets.ImageSet, items: Sequence[sets.Item], seed: int):
    """Return the validation images of these items, corrupted."""
    stream = sets.seed_of(rows.stream, seed)
    clean = [
        _clean(stream, rows.settings, rows.side, item.index // world.CHUNK)
        for item in items
    ]
    numbers = [item.index for item in items]
    pictures = [some[n % world.CHUNK] for some, n in zip(clean, numbers, strict=True)]
    own = sets.seed_of(rows.source, seed)
    return _images(corruption(rows.source), own, numbers, pictures)


@functools.lru_cache(maxsize=_CHUNKS)
def _clean(
    seed: int, settings: Settings, side: int, chunk: int
) -> UInt8[np.ndarray, "n 224 224 3"]:
    """Return a chunk of the validation images, as networks see their files.

    The chunks are those in which the files themselves are drawn: the place in a chunk
    may round a last bit.
    """
    indices = np.arange(world.CHUNK) + chunk * world.CHUNK
    files = [
        encoding.encoded(picture, ".JPEG")
        for picture in world.draw(seed, indices, settings, side).images
    ]
    policy = catalog.SOURCES["imagenet"].preprocessing
    return np.stack([preprocess.decode(data, policy) for data in files])


def _images(
    made: Corruption, seed: int, numbers: Sequence[int], pictures: Sequence[np.ndarray]
) -> UInt8[np.ndarray, "n 224 224 3"]:
    """Return pictures corrupted, each by itself: no batch changes a bit of them."""
    programs = _programs(compiled_part(made))
    parameters = corrupted.Corrupted(made).parameters(SHAPE)
    found = []
    for number, picture in zip(numbers, pictures, strict=True):
        draws = programs.sample(np.uint32(seed), np.uint32(number))
        found.append(programs.corrupt(picture, draws, parameters))
    return np.stack(jax.device_get(found))


class _Programs(NamedTuple):
    sample: Callable
    corrupt: Callable


@functools.cache
def _programs(part: Corruption) -> _Programs:
    """Return the programs of a corruption without its severity, two as in `stimuli`.

    As one they would take up to four times as long on CPUs.
    """

    def sample(seed, number):
        key = jax.random.fold_in(jax.random.key(seed, impl=stimuli.PRNG), number)
        return part.sample(key, SHAPE)

    return _Programs(jax.jit(sample), jax.jit(part.corrupt))
