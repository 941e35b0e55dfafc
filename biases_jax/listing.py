"""Of which examples are a row's numbers: their names and labels?"""

import io
import json

import numpy as np
import pyarrow as pa
from etils import epath
from pyarrow import parquet

from biases_jax.rows import Row
from biases_jax.sources import manifest


def load(manifests: epath.PathLike, row: Row) -> pa.Table:
    """Return the list of examples that a row was measured on, sorted by id.

    Columns: `id` (uint64), `name` and a column per label space of the source, as its
    manifest has them. Labels that lie beside the images (`real`) are in no manifest.

    Args:
        manifests: the folder of the sources' manifests of the row's run.
        row: a complete cell.

    Raises:
        ValueError: the list is gone, or is of other examples or labels than were
            measured.
    """
    path = manifest.manifest_path(manifests, row.provenance["source"])
    if not path.exists():
        raise ValueError(
            f"{_where(row)}: got no {path}, expected the labels there, which tell the "
            "examples; copy it from the run that measured this"
        )
    table = parquet.read_table(io.BytesIO(path.read_bytes()))
    hashes = json.loads(table.schema.metadata[b"sha256"])
    space = row.provenance["label_space"]
    if hashes.get(space) != row.provenance["source_sha256"]:
        raise ValueError(
            f"{_where(row)}: got other examples or labels {space!r} in {path} than "
            "were measured, expected the same; measure again with the data that are "
            "there now"
        )
    return table.take(np.argsort(table["id"].to_numpy()))


def _where(row: Row) -> str:
    return f"{row.model} on {row.benchmark}"
