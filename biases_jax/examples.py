"""What did a model answer for each example?"""

import functools
import json
import os
import pathlib
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from biases_jax import labels, scores
from biases_jax.rows import Row
from biases_jax.types import Record

_NAME = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    {
        "model": _NAME,
        "benchmark": _NAME,
        "fingerprint": _NAME,
        "id": pa.uint64(),  # `labels.packed_ids`
        "predicted": pa.int16(),
        "correct": pa.bool_(),
        "margin": pa.float32(),  # logits
        "best5": pa.list_(pa.int16(), scores.KEPT),
        "negative_log_likelihood": pa.float32(),  # nats
    }
)
_INDEX = b"biases_jax.parts"  # footer entry: which row group holds what


class Part(NamedTuple):
    """The records of one cell's block, in the source's order.

    `first` is the index of the first example; `ids` uint32 [n, 2]; the record's
    arrays are NumPy's, of length n.
    """

    model: str
    benchmark: str
    fingerprint: str
    first: int
    ids: np.ndarray
    record: Record


def write(folder: str | os.PathLike, name: str, parts: Sequence[Part]) -> str:
    """Write the records of a pass and return the name of the file in `folder`.

    The name begins with `name`; the file appears whole or not at all. Each part is a
    row group, and the footer says where which is, so that one cell of thousands is
    read without the others.
    Raises ValueError if a class does not fit int16.
    """
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Passes of one run may ask for one name; none may replace another's records.
    file = f"{name.replace('/', '-')}-{secrets.token_hex(4)}.parquet"
    index = [[*part[:4], len(part.ids)] for part in map(Part._make, parts)]
    schema = SCHEMA.with_metadata({_INDEX: json.dumps(index)})
    partial = folder / f"{file}.part"
    with partial.open("wb") as sink:
        with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
            for part in map(Part._make, parts):
                columns = _columns(part)
                writer.write_table(pa.table(columns, schema), len(part.ids))
        sink.flush()
        os.fsync(sink.fileno())
    partial.replace(folder / file)
    return file


def load(
    folder: str | os.PathLike, row: Row, ids: np.ndarray | None = None
) -> pa.Table:
    """Return the records of a row, exactly one per example, sorted by id.

    They must be the source's ids in its order, by the hash that the blocks carry.
    `ids` (uint64, any order) may name those that the source has. Raises ValueError,
    naming examples, if any is there twice, missing or foreign, or if a block was
    measured without records, and FileNotFoundError if a file is gone.
    """
    where = f"records of {row.model} on {row.benchmark}"
    tables = [_block(pathlib.Path(folder), row, block, where) for block in row.blocks]
    table = pa.concat_tables(tables).unify_dictionaries()
    found = table["id"].to_numpy()
    _check(found, row, ids, where)
    return table.take(np.argsort(found))


def _columns(part: Part) -> list[Any]:
    n = len(part.ids)
    record = part.record
    best5 = pa.array(_int16(record.best5, "best5").reshape(-1))
    return [
        *(_constant(text, n) for text in part[:3]),
        pa.array(labels.packed_ids(part.ids)),
        pa.array(_int16(record.predicted, "predicted")),
        pa.array(record.correct.astype(bool)),
        pa.array(record.margin.astype(np.float32)),
        pa.FixedSizeListArray.from_arrays(best5, scores.KEPT),
        pa.array(record.negative_log_likelihood.astype(np.float32)),
    ]


def _constant(text: str, n: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), [text])


def _int16(classes: np.ndarray, name: str) -> np.ndarray:
    limits = np.iinfo(np.int16)
    if classes.size and (classes.max() > limits.max or classes.min() < limits.min):
        raise ValueError(
            f"got {name} up to {classes.max()}, expected classes up to {limits.max}:"
            " records hold 16-bit classes; turn them off (--config.records=False)"
        )
    return classes.astype(np.int16)


@functools.lru_cache(maxsize=16)
def _footer(path: pathlib.Path) -> tuple[parquet.FileMetaData, dict]:
    """Return a file's metadata, and its row groups by (fingerprint, first, rows)."""
    metadata = parquet.read_metadata(path)
    groups: dict[tuple, dict[str, int]] = {}
    for group, entry in enumerate(json.loads(metadata.metadata[_INDEX])):
        model, _, fingerprint, first, rows = entry
        groups.setdefault((fingerprint, first, rows), {})[model] = group
    return metadata, groups


def _block(folder: pathlib.Path, row: Row, block: Any, where: str) -> pa.Table:
    examples = f"examples [{block.first}, {block.last})"
    if not block.records:
        raise ValueError(f"{where}: {examples} were measured with records turned off")
    path = folder / block.records
    metadata, groups = _footer(path)
    found = groups.get((block.fingerprint, block.first, block.last - block.first))
    if not found:
        raise ValueError(f"{where}: {path} does not hold {examples}")
    # Models of equal weights share fingerprints; any of them has the same answers.
    group = found.get(row.model, min(found.values()))
    with parquet.ParquetFile(path, metadata=metadata) as file:
        return file.read_row_group(group)


def _check(found: np.ndarray, row: Row, ids: np.ndarray | None, where: str) -> None:
    unique, counts = np.unique(found, return_counts=True)
    problems = {"twice": unique[counts > 1]}
    if ids is not None:
        problems["missing"] = np.setdiff1d(ids, unique)
        problems["foreign"] = np.setdiff1d(unique, ids)
    for kind, those in problems.items():
        if len(those):
            shown = ", ".join(f"{example:016x}" for example in those[:5])
            raise ValueError(f"{where}: {len(those)} examples are {kind}: {shown}")
    if len(unique) != row.n_expected:
        raise ValueError(f"{where}: {len(unique)} examples, not {row.n_expected}")
    if labels.order_sha256(found) != row.blocks[0].order:
        raise ValueError(f"{where}: the ids are not those of the source (hash differs)")
