"""Which images are the small networks trained on? Drawn once, kept as one array."""

import concurrent.futures
import os
import zlib

import numpy as np
from etils import epath

from biases_jax import sharding
from biases_jax.miniature import world
from biases_jax.miniature.recipes import SETS
from biases_jax.progress import Progress, Unit

IMAGES = 12_288  # of each set, balanced over the classes
SIDE = 256  # pixels: room for random windows of 224
SEEDS = {"natural": 101, "stylised": 102}
DRAWN = Unit("images", "images", "image")
_AT_A_TIME = 128


def images(name: str, folder: epath.Path, count: int = IMAGES) -> np.ndarray:
    """Return a set's images, uint8 [count, 256, 256, 3], drawn if they are not there.

    Image i is of class i modulo 16. The array lies in a file and is read as needed.
    """
    # Images of other settings are another file.
    settings = zlib.crc32(repr((SETS[name], SEEDS[name])).encode())
    path = folder / f"{name}_{count}_{settings:08x}.npy"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        shape = (count, SIDE, SIDE, 3)
        array = np.lib.format.open_memmap(os.fspath(part), "w+", np.uint8, shape)
        _fill(array, name)
        array.flush()
        part.replace(path)
    return np.load(path, mmap_mode="r")


def _fill(array: np.ndarray, name: str) -> None:
    def draw(start):
        indices = np.arange(start, min(start + _AT_A_TIME, len(array)))
        array[indices] = world.draw(SEEDS[name], indices, SETS[name], SIDE).images
        return len(indices)

    with concurrent.futures.ThreadPoolExecutor(sharding.cores()) as threads:
        jobs = [threads.submit(draw, s) for s in range(0, len(array), _AT_A_TIME)]
        progress = Progress(len(array), "drawing", DRAWN)
        for job in concurrent.futures.as_completed(jobs):
            progress.add(job.result(), name)
        progress.close()
