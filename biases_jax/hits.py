"""Which images did a model get right, in all cells that are of the same images?"""

import functools
from collections.abc import Mapping

import numpy as np
from jaxtyping import Bool

from biases_jax.types import Cell

NO_RECORDS = "no records"
OTHERS = "the ids are not the same"


class Hits:
    """What the records of one model's cells say, each read once.

    Args:
        cells: of the model, by benchmark.
    """

    def __init__(self, cells: Mapping[str, Cell]):
        self._cells = cells
        self._ids: np.ndarray | None = None  # of the images, once they are read
        self._lacks: dict[str, str] = {}
        self.of = functools.cache(self._read)

    def lacks(self, name: str) -> str:
        """Return why a benchmark's answers are None, '' if they are not."""
        self.of(name)
        return self._lacks.get(name, "")

    def _read(self, name: str) -> Bool[np.ndarray, " n"] | None:
        """Return which images of a benchmark were right, sorted by id.

        None where the records are not to be had, or are not of the same images as
        those that were read first.
        """
        try:
            records = self._cells[name].records()
        except (FileNotFoundError, ValueError):
            self._lacks[name] = NO_RECORDS
            return None
        ids = records["id"].to_numpy()
        if self._ids is None:
            self._ids = ids
        if not np.array_equal(ids, self._ids):
            self._lacks[name] = OTHERS
            return None
        return records["correct"].to_numpy()
