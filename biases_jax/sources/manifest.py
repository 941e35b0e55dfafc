"""How is the list of a source's examples kept: id, file name, labels?"""

import io
import secrets

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from absl import logging
from etils import epath
from jaxtyping import Int32

from biases_jax import labels as class_labels
from biases_jax.sources.tfds_arrays import Listing


def manifest_path(folder: epath.PathLike, source_name: str) -> epath.Path:
    """Return where a source's manifest lies: one file, whatever the name's depth."""
    return epath.Path(folder) / f"{source_name.replace('/', '-')}.parquet"


def write(
    path: epath.Path,
    names: tuple[str, ...],
    labels: dict[str, Int32[np.ndarray, "n k"]],
    metadata: dict[str, str],
) -> None:
    """Write a manifest in the source's fixed order.

    Columns: `id` (uint64, first word high: joins the records), `name`, and one of
    int32 per label space (a list where an example has several).
    """
    ids = class_labels.packed_ids(class_labels.example_ids(names))
    columns = {"id": pa.array(ids), "name": pa.array(names, pa.string())}
    for space, values in labels.items():
        flat = pa.array(values.reshape(-1))
        several = values.shape[1] > 1
        columns[space] = (
            pa.FixedSizeListArray.from_arrays(flat, values.shape[1])
            if several
            else flat
        )
    table = pa.table(columns).replace_schema_metadata(metadata)
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Several processes may write the same manifest, on several hosts of a shared disk;
    # readers see none or a whole one.
    part = path.parent / f"{path.name}.{secrets.token_hex(8)}.part"
    part.write_bytes(buffer.getvalue())
    part.replace(path)


def read_listing(path: epath.Path, origin: str) -> Listing | None:
    """Return what a manifest lists; None where it is absent, torn or of another origin.

    It is made anew then, so that a torn one costs a pass over the copy and no more.
    """
    if not path.exists():
        return None
    data = io.BytesIO(path.read_bytes())
    try:
        table = pq.read_table(data)
    except (pa.ArrowException, OSError) as error:
        logging.warning("%s: got no whole list of examples: %s", path, error)
        return None
    if (table.schema.metadata or {}).get(b"origin", b"").decode() != origin:
        return None
    labels = {
        space: np.array(table[space].to_pylist(), np.int32).reshape(len(table), -1)
        for space in table.column_names
        if space not in ("id", "name")
    }
    return Listing(tuple(table["name"].to_pylist()), labels)
