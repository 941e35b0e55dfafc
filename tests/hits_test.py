"""Are answers read once, and only of cells of the same images?"""

import numpy as np
import pyarrow as pa
import pytest

from biases_jax import hits
from biases_jax.types import Cell


def cell(ids, right, error=None):
    calls = []

    def load():
        calls.append(1)
        if error:
            raise error
        return pa.table({"id": np.array(ids), "correct": np.array(right)})

    return Cell({"top1": 1, "count": len(ids)}, load), calls


def test_records_are_read_once():
    one, calls = cell([1, 2], [True, False])
    found = hits.Hits({"a": one})
    assert found.of("a").tolist() == found.of("a").tolist() == [True, False]
    assert len(calls) == 1


def test_cells_of_other_images_are_none():
    cells = {"a": cell([1, 2], [True, False])[0], "b": cell([1, 3], [True, True])[0]}
    found = hits.Hits(cells)
    assert found.of("a") is not None and found.of("b") is None
    assert found.lacks("a") == "" and found.lacks("b") == hits.OTHERS


@pytest.mark.parametrize("error", [ValueError("none"), FileNotFoundError("gone")])
def test_cells_without_records_are_none(error):
    found = hits.Hits({"a": cell([1], [True], error)[0]})
    assert found.of("a") is None and found.lacks("a") == hits.NO_RECORDS
