"""How is a TFDS copy found, and read without TensorFlow (array_record)?"""

import dataclasses
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from etils import epath
from jaxtyping import Int32

from biases_jax import labels as class_labels
from biases_jax.sources import copy_errors, real_labels
from biases_jax.sources.source import Counts, Source, TfdsCopy

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
    copy: TfdsCopy
    folder: epath.Path
    records: Sequence[Mapping[str, Any]]

    @property
    def locations(self) -> tuple[str, ...]:
        """What a message calls each example."""
        return self.names

    def read(self, index: int) -> tuple[str, bytes]:
        """Return the name that the record holds, and the encoded image.

        Raises:
            CopyError: it cannot be read.
        """
        with copy_errors.reading(self.folder):
            record = self.records[index]
            return example_name(self.source, self.copy, record), record["image"]


def find_copy(
    source: Source, tfds_dir: str
) -> tuple[TfdsCopy | None, epath.Path, list[str]]:
    """Return a source's first TFDS copy that is there, its newest folder, what failed.

    Args:
        source: whose `copies` are tried in their order.
        tfds_dir: root of the TFDS data sets; '' for TFDS' own default.
    """
    root = epath.Path(tfds_dir or tfds.core.constants.DATA_DIR)
    tried = []
    for copy in source.copies:
        folder = root / copy.name
        versions = tfds.core.utils.version.list_all_versions(folder)
        for version in reversed(versions):
            if (folder / str(version) / "dataset_info.json").exists():
                return copy, folder / str(version), tried
        tried.append(f"{folder}/<version>/dataset_info.json")
    return None, root, tried


def file_formats(folder: epath.Path) -> set[str]:
    """Return the formats in which a copy is stored: 'array_record', 'tfrecord'.

    Raises:
        CopyError: its description cannot be read.
    """
    with copy_errors.reading(folder):
        info = tfds.builder_from_directory(folder).info
        return {file_format.value for file_format in info.available_file_formats()}


def origin(copy: TfdsCopy, folder: epath.Path) -> str:
    """Return what changes when a copy is prepared anew: the key of its manifest."""
    digest = hashlib.sha256((folder / "dataset_info.json").read_bytes())
    # The labels lie in the records: of their files, what is quick to ask for.
    for path in sorted(folder.iterdir()):
        if copy.split in path.name:
            state = path.stat()
            digest.update(f"{path.name}:{state.length}:{state.mtime}\n".encode())
    return f"{copy.name}/{folder.name}:{copy.split}:{digest.hexdigest()}"


def open_arrays(
    source: Source, copy: TfdsCopy, folder: epath.Path, listing: Listing | None
) -> ArrayRecords:
    """Open a copy; without a listing, one is made by reading every record once.

    Raises:
        CopyError: it cannot be read, or numbers the classes otherwise.
    """
    with copy_errors.reading(folder):
        builder = tfds.builder_from_directory(folder, file_format="array_record")
        check_classes(copy, builder.info.features, folder)
        records = builder.as_data_source(
            copy.split, decoders={"image": tfds.decode.SkipDecoding()}
        )
        listing = listing or list_examples(source, copy, _in_chunks(records))
        if len(records) != len(listing.names):  # opens all files, with a list as well
            raise ValueError(f"{len(records)} records, {len(listing.names)} listed")
    return ArrayRecords(
        names=listing.names,
        labels=listing.labels,
        expected=source.expected,
        origin=origin(copy, folder),
        source=source,
        copy=copy,
        folder=folder,
        records=records,
    )


def check_classes(
    copy: TfdsCopy, features: tfds.features.FeaturesDict, folder: epath.Path
) -> None:
    """Refuse a copy whose label features are not the classes in their known order.

    Raises:
        CopyError: a feature is absent, or has other class names or another order.
    """
    for space, names in copy.labels:
        categories = space in ("category", "shape_texture")
        known = class_labels.CATEGORIES if categories else class_labels.WNIDS
        for name in names:
            feature = dict(features.items()).get(name)
            feature = getattr(feature, "feature", feature)  # what a sequence is of
            got = list(getattr(feature, "names", None) or ())
            if got != list(known):
                raise copy_errors.CopyError(
                    f"{folder}: got classes {got[:3]}... of the feature {name!r}, "
                    f"expected {len(known)}, {', '.join(known[:3])}, ..., in the order "
                    f"of TFDS' own {copy.name}; prepare the copy again"
                )


def list_examples(
    source: Source, copy: TfdsCopy, records: Iterable[Mapping[str, Any]]
) -> Listing:
    """Return the names and labels of all records."""
    names = []
    columns: dict[str, list] = {space: [] for space, _ in copy.labels}
    for record in records:
        names.append(example_name(source, copy, record))
        for space, features in copy.labels:
            columns[space].append(_values(record, features))
    return Listing(
        tuple(names),
        {space: real_labels.padded(column) for space, column in columns.items()},
    )


def example_name(source: Source, copy: TfdsCopy, record: Mapping[str, Any]) -> str:
    """Return the name that identifies a record's example."""
    (label, *_) = _values(record, copy.labels[0][1])
    return source.example_name(label, record["file_name"].decode())


def _values(record: Mapping[str, Any], features: Sequence[str]) -> list[int]:
    return [
        value
        for feature in features
        for value in np.asarray(record[feature]).reshape(-1).tolist()
    ]


def _in_chunks(records: Sequence) -> Iterable[Mapping[str, Any]]:
    for first in range(0, len(records), _CHUNK):
        last = min(first + _CHUNK, len(records))
        yield from records.__getitems__(list(range(first, last)))
