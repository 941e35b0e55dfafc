"""What did one model do on each of its benchmarks?"""

import functools
import os
from collections.abc import Iterable

from biases_jax import examples, listing
from biases_jax.rows import Row
from biases_jax.types import Cell


def of(
    rows: Iterable[Row], records: str | os.PathLike, manifests: str | os.PathLike
) -> dict[str, Cell]:
    """Return the cells of one model's rows, by benchmark.

    `records` and `manifests` are the folders of the run's per-example records and of
    its sources' lists of examples, which are read when they are asked for.
    """
    return {
        row.benchmark: Cell(
            row.sums,
            functools.partial(examples.load, records, row),
            functools.partial(listing.load, manifests, row),
        )
        for row in rows
    }
