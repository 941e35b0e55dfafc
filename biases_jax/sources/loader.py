"""How do a source's examples become padded batches of pixels, each exactly once?"""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import grain
import numpy as np

from biases_jax import labels
from biases_jax.sources import copy_errors, preprocess
from biases_jax.sources.dataset import Dataset
from biases_jax.types import Batch


class LoadedBatch(NamedTuple):
    """Examples `first` to `last` - 1 of a data set, padded to the batch size."""

    first: int
    last: int
    batch: Batch


def share(n: int, process: int, count: int) -> tuple[int, int]:
    """Return the examples [first, last) of one process among `count`.

    Shares differ by one at most, tile 0 to n, and need no communication.

    Raises:
        ValueError: the process is not among them.
    """
    if not 0 <= process < count:
        raise ValueError(f"got process {process} of {count}, expected 0 to {count - 1}")
    return n * process // count, n * (process + 1) // count


class Loader:
    """Reads and decodes in `workers` threads (0: in the caller's).

    Pillow decodes and resizes outside Python's lock, so threads scale as processes
    would, share memory with the caller, and end with the pass. `corrupt` lists, in
    the order of the examples, where each file lies that could not be decoded, and
    why.
    """

    def __init__(self, dataset: Dataset, workers: int):
        if workers < 0:
            raise ValueError(f"got {workers} workers, expected 0 or more")
        self._dataset = dataset
        self._workers = workers
        self.corrupt: list[tuple[str, str]] = []
        self._listed: set[tuple[str, str]] = set()

    def batches(
        self, ranges: Sequence[tuple[int, int]], batch_size: int
    ) -> Iterator[LoadedBatch]:
        """Yield the examples of all ranges [first, last), in order.

        Every range starts a new batch. Padding, and what cannot be decoded, has mask
        False, zeros for image and id, and label -1. Neither order nor content
        depends on the workers. At most one batch is decoded ahead.

        Raises:
            ValueError: a range does not lie in the data set.
            RuntimeError: an example arrived that was not asked for at this place.
            CopyError: a TFDS copy cannot be read, or changed after it was listed.
        """
        self._refuse_ranges(ranges, batch_size)
        grid = [
            (start, min(start + batch_size, last))
            for first, last in ranges
            for start in range(first, last, batch_size)
        ]
        with contextlib.closing(self._examples(grid, batch_size)) as examples:
            for first, last in grid:
                batch = self._empty_batch(batch_size)
                for row, index in enumerate(range(first, last)):
                    self._fill(batch, row, index, next(examples, None))
                yield LoadedBatch(first, last, batch)
            if (example := next(examples, None)) is not None:
                raise RuntimeError(f"got example {example.index} after the last one")

    def _examples(
        self, grid: Sequence[tuple[int, int]], batch_size: int
    ) -> Iterator["_Example"]:
        indices = [i for first, last in grid for i in range(first, last)]
        if not indices:
            return
        options = grain.ReadOptions(
            num_threads=self._workers,
            prefetch_buffer_size=batch_size + self._workers if self._workers else 0,
        )
        examples = grain.MapDataset.source(indices).map(self._decode)
        with contextlib.closing(iter(examples.to_iter_dataset(options))) as iterator:
            yield from iterator

    def _decode(self, index: int) -> "_Example":
        name = self._dataset.names[index]
        try:
            name, encoded = self._dataset.reader.read(index)
            pixels = preprocess.decode(encoded, self._dataset.preprocessing)
            return _Example(index, name, pixels, "")
        except (preprocess.CorruptImage, OSError) as error:
            return _Example(index, name, None, str(error))

    def _fill(
        self, batch: Batch, row: int, index: int, example: "_Example | None"
    ) -> None:
        # The library that orders the work has lost examples before (grain, issue
        # 953), and a cached list of names may be out of date: trust neither.
        self._refuse_other(index, example)
        if example.pixels is None:
            finding = (self._dataset.locations[index], example.reason)
            if finding not in self._listed:  # a second pass finds it again
                self._listed.add(finding)
                self.corrupt.append(finding)
            return
        batch["image"][row] = example.pixels
        for space, values in self._dataset.labels.items():
            batch["labels"][space][row] = values[index]
        batch["id"][row] = self._dataset.ids[index]
        batch["mask"][row] = True

    def _refuse_other(self, index: int, example: "_Example | None") -> None:
        if example is None or example.index != index:
            got = "nothing" if example is None else f"example {example.index}"
            raise RuntimeError(f"got {got}, expected example {index}")
        found = labels.example_ids([example.name])[0]
        if not np.array_equal(found, self._dataset.ids[index]):
            raise copy_errors.CopyError(
                f"got {example.name!r} as example {index}, expected "
                f"{self._dataset.names[index]!r}; the copy changed after it was "
                "listed: remove the source's manifest and start again"
            )

    def _empty_batch(self, size: int) -> Batch:
        side = preprocess.SIZE
        return Batch(
            image=np.zeros((size, side, side, 3), np.uint8),
            labels={
                space: np.full((size, values.shape[1]), -1, np.int32)
                for space, values in self._dataset.labels.items()
            },
            id=np.zeros((size, 2), np.uint32),
            mask=np.zeros(size, bool),
        )

    def _refuse_ranges(
        self, ranges: Sequence[tuple[int, int]], batch_size: int
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"got a batch size of {batch_size}, expected 1 or more")
        for first, last in ranges:
            if not 0 <= first <= last <= len(self._dataset):
                raise ValueError(
                    f"got the range [{first}, {last}), expected it within "
                    f"[0, {len(self._dataset)})"
                )


@dataclasses.dataclass(frozen=True)
class _Example:
    index: int
    name: str
    pixels: np.ndarray | None
    reason: str
