"""How is a TFDS copy found, and read without TensorFlow (array_record)?"""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from etils import epath
from jaxtyping import Int32

from biases_jax.sources.catalog import Counts, Source

_CHUNK = 256  # records that one call reads in parallel


@dataclasses.dataclass(frozen=True)
class Listing:
    """What a pass over a TFDS copy tells: the examples' names and labels, in order."""

    names: tuple[str, ...]
    labels: dict[str, Int32[np.ndarray, "n k"]]


@dataclasses.dataclass(frozen=True, eq=False)
class ArrayRecords:
    """Random access to an array_record copy, in the copy's own order."""

    names: tuple[str, ...]
    labels: dict[str, Int32[np.ndarray, "n k"]]
    expected: Counts | None
    origin: str
    source: Source
    records: Sequence[Mapping[str, Any]]

    @property
    def locations(self) -> tuple[str, ...]:
        """What a message calls each example."""
        return self.names

    def read(self, index: int) -> tuple[str, bytes]:
        """Return the name that the record holds, and the encoded image."""
        record = self.records[index]
        return example_name(self.source, record), record["image"]


def find_copy(source: Source, tfds_dir: str) -> tuple[epath.Path | None, list[str]]:
    """Return the folder of a source's newest TFDS copy, and what was tried in vain.

    Args:
        source: whose `tfds` names the data set.
        tfds_dir: root of the TFDS data sets; '' for TFDS' own default.
    """
    if not source.tfds:
        return None, []
    folder = epath.Path(tfds_dir or tfds.core.constants.DATA_DIR) / source.tfds
    versions = tfds.core.utils.version.list_all_versions(folder)
    for version in reversed(versions):
        if (folder / str(version) / "dataset_info.json").exists():
            return folder / str(version), []
    return None, [f"{folder}/<version>/dataset_info.json"]


def file_formats(folder: epath.Path) -> set[str]:
    """Return the formats in which a copy is stored: 'array_record', 'tfrecord'."""
    info = tfds.builder_from_directory(folder).info
    return {file_format.value for file_format in info.available_file_formats()}


def origin(source: Source, folder: epath.Path) -> str:
    """Return what changes when a copy is prepared anew: the key of its manifest."""
    info = hashlib.sha256((folder / "dataset_info.json").read_bytes()).hexdigest()
    return f"{source.tfds}/{folder.name}:{source.tfds_split}:{info}"


def open_arrays(
    source: Source, folder: epath.Path, listing: Listing | None
) -> ArrayRecords:
    """Open a copy; without a listing, one is made by reading every record once."""
    builder = tfds.builder_from_directory(folder, file_format="array_record")
    records = builder.as_data_source(
        source.tfds_split, decoders={"image": tfds.decode.SkipDecoding()}
    )
    listing = listing or list_examples(source, _in_chunks(records))
    return ArrayRecords(
        names=listing.names,
        labels=listing.labels,
        expected=source.expected,
        origin=origin(source, folder),
        source=source,
        records=records,
    )


def list_examples(source: Source, records: Iterable[Mapping[str, Any]]) -> Listing:
    """Return the names and labels of all records."""
    names = []
    columns: dict[str, list] = {space: [] for space, _ in source.tfds_labels}
    for record in records:
        names.append(example_name(source, record))
        for space, feature in source.tfds_labels:
            columns[space].append(int(record[feature]))
    return Listing(
        tuple(names),
        {space: np.array(c, np.int32).reshape(-1, 1) for space, c in columns.items()},
    )


def example_name(source: Source, record: Mapping[str, Any]) -> str:
    """Return the name that identifies a record's example."""
    label = int(record[source.tfds_labels[0][1]])
    return source.example_name(label, record["file_name"].decode())


def _in_chunks(records: Sequence) -> Iterable[Mapping[str, Any]]:
    for first in range(0, len(records), _CHUNK):
        last = min(first + _CHUNK, len(records))
        yield from records.__getitems__(list(range(first, last)))
