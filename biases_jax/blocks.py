"""What does a block of examples yield, and how is it kept?"""

import collections
import dataclasses

import numpy as np

from biases_jax import examples, results, schedule
from biases_jax.cells import Key, SourceCells
from biases_jax.session import Session
from biases_jax.sources import loader
from biases_jax.types import Record


@dataclasses.dataclass
class Measured:
    """What a block yielded: by cell, sums and records; for all, ids and time."""

    sums: dict[Key, collections.Counter]
    records: dict[Key, list[Record]]
    batches: list[loader.LoadedBatch]
    seconds: float = 0.0


def store(
    session: Session, cells: SourceCells, block: schedule.Block, measured: Measured
) -> None:
    """Write the block's records, then its rows, so that no row lacks its records."""
    file = _write_records(session, cells, block, measured) if measured.records else ""
    n, share = block.last - block.first, len(block.cells)
    # What the cells of a block did together is divided among them, so that costs add
    # up to the run's.
    seconds, decodes = measured.seconds / share, n / share
    cost = {"seconds": seconds, "decodes": decodes, "forwards": n, "gradients": 0}
    session.store.append(
        [cells.headers[key] for key in block.cells],
        [
            results.Block(
                fingerprint=cells.headers[key].fingerprint,
                order=cells.dataset.order,
                first=block.first,
                last=block.last,
                sums=dict(measured.sums[key]),
                cost=cost,
                records=file,
            )
            for key in block.cells
        ],
    )


def _write_records(session, cells, block, measured) -> str:
    taken = [loaded.batch for loaded in measured.batches]
    ids = np.concatenate([batch["id"][batch["mask"]] for batch in taken])
    parts = [
        examples.Part(
            model=model,
            benchmark=benchmark,
            fingerprint=cells.headers[model, benchmark].fingerprint,
            first=block.first,
            ids=ids,
            record=Record(*(np.concatenate(c) for c in zip(*pieces, strict=True))),
        )
        for (model, benchmark), pieces in measured.records.items()
    ]
    name = f"{session.store.name}-{cells.dataset.source.name}-{block.first}"
    return examples.write(session.records, name, parts)
