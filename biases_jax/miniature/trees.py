"""How is the drawn world written as small versions of the published image sets?"""

import concurrent.futures
import contextlib
import fnmatch
import json
from collections.abc import Iterator, Sequence

import filelock
import numpy as np
from absl import logging
from etils import epath

from biases_jax.miniature import (
    corrupted_sets,
    encoding,
    model_vs_human,
    presence,
    reassessed,
    sets,
    world,
)
from biases_jax.miniature.settings import NATURAL
from biases_jax.progress import Progress, Unit
from biases_jax.sources import declaration, real_labels

THREADS = 2
_IMAGES = Unit("images", "images", "image")


def write(
    root: epath.Path,
    per_class: int,
    *,
    seed: int = 0,
    pairs: int = 1,
    scenes: int = 1,
    conditions: int = 8,
    only: Sequence[str] = ("*",),
):
    """Write each set as a folder tree in its published layout, unless it is there.

    Each tree appears whole or not at all, with a `dataset.json`; after a kill, the
    next call begins again with the first unfinished one. Frost is left out, which is
    said, where its photographs are not at hand.

    Args:
        root: the data root; created if need be.
        per_class: images of each class of every set, 1 to 50.
        seed: of all sets. Networks are trained on none of these scenes.
        pairs: cue-conflict images of each pair of a shape and another texture.
        scenes: of each class in each condition of the computed model-vs-human sets.
        conditions: of each of those, at most; the first and last are always there.
        only: patterns of the sets' names ('imagenet*').

    Raises:
        ValueError: an argument is out of range, a pattern matches nothing, or a tree
            is there that other arguments made.
    """
    rows = sets.catalogue(per_class, pairs)
    rows += corrupted_sets.made_of(rows[0])
    rows += model_vs_human.computed(per_class, scenes, conditions)
    rows = _selected(rows, only)
    root.mkdir(parents=True, exist_ok=True)
    with _alone(root):
        missing = [row for row in rows if not presence.is_there(root, row, seed)]
        missing = corrupted_sets.possible(missing)
        unassessed = [row for row in rows if presence.is_unassessed(root, row, seed)]
        if missing or unassessed:
            _write_all(root, missing, unassessed, seed)


@contextlib.contextmanager
def _alone(root: epath.Path) -> Iterator[None]:
    """Keep other processes out; say so where one of them is drawing."""
    lock = filelock.FileLock(str(root / ".writing.lock"))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        logging.info("another process draws into %s; waiting for it", root)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _selected(
    rows: list[sets.ImageSet], patterns: Sequence[str]
) -> list[sets.ImageSet]:
    names = [row.source for row in rows]
    for pattern in patterns:
        if not fnmatch.filter(names, pattern):
            raise ValueError(
                f"got the pattern {pattern!r}, expected one that matches any of: "
                + ", ".join(dict.fromkeys(map(_shown, names)))
            )
    return [
        row
        for row in rows
        if any(fnmatch.fnmatchcase(row.source, pattern) for pattern in patterns)
    ]


def _shown(name: str) -> str:
    """Return a name, or what stands for a grid of many."""
    grid = name.count("/") > 1
    return f"{name.split('/')[0]}/*" if grid else name


def _write_all(
    root: epath.Path,
    rows: Sequence[sets.ImageSet],
    unassessed: Sequence[sets.ImageSet],
    seed: int,
) -> None:
    total = sum(len(row.items) for row in rows)
    logging.info("drawing %d images of %d sets", total, len(rows))
    with contextlib.ExitStack() as stack:
        progress = Progress(total, "drawing", _IMAGES)
        stack.callback(progress.close)
        threads = concurrent.futures.ThreadPoolExecutor(THREADS)
        # Without waiting for what is queued, where a write fails.
        stack.callback(threads.shutdown, cancel_futures=True)
        _compile({row.side for row in rows}, threads)
        corrupted_sets.compile_all(rows, threads)
        lists = [threads.submit(_reassess, root, row, seed) for row in unassessed]
        jobs = [(row, list(_jobs(root, row, seed, threads))) for row in rows]
        for row, parts in jobs:
            for part in parts:
                progress.add(part.result(), row.source)
            _finish(root, row, seed)
        for written in lists:
            written.result()


def _reassess(root: epath.Path, row: sets.ImageSet, seed: int) -> None:
    # In this order: alone it does no harm, and lists without it are another set's.
    (root / presence.REASSESSED).write_text(str(presence.declared(row, seed)["drawn"]))
    reassessed.write(root / real_labels.FILE, row, seed)


def _compile(sides: set[int], threads: concurrent.futures.ThreadPoolExecutor) -> None:
    """Compile the programs side by side, each once, before many threads ask for it."""
    one = np.zeros(1, int)
    for _ in threads.map(lambda side: world.draw(0, one, NATURAL, side), sides):
        pass


def _part(root: epath.Path, row: sets.ImageSet) -> epath.Path:
    folder = root / row.folder
    return folder.parent / f"{folder.name}.part"


def _jobs(
    root: epath.Path,
    row: sets.ImageSet,
    seed: int,
    threads: concurrent.futures.ThreadPoolExecutor,
) -> Iterator[concurrent.futures.Future]:
    part = _part(root, row)
    if part.exists():  # what a killed run left
        part.rmtree()
    for folder in sorted({item.path.rpartition("/")[0] for item in row.items}):
        (part / folder).mkdir(parents=True)
    for at in range(0, len(row.items), world.CHUNK):
        items = row.items[at : at + world.CHUNK]
        yield threads.submit(_write_some, part, row, items, seed)


def _write_some(
    part: epath.Path, row: sets.ImageSet, items: Sequence[sets.Item], seed: int
) -> int:
    for item, picture in zip(items, row.render(row, items, seed), strict=True):
        data = encoding.encoded(picture, item.path, row.quality)
        (part / item.path).write_bytes(data)
    return len(items)


def _finish(root: epath.Path, row: sets.ImageSet, seed: int) -> None:
    part = _part(root, row)
    text = json.dumps(presence.declared(row, seed)) + "\n"
    (part / declaration.FILE).write_text(text)
    part.rename(root / row.folder)
