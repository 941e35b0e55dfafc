"""Which examples does a source hold here, in which order, and from which reader?"""

import dataclasses
import functools
import hashlib
from typing import Protocol, runtime_checkable

import numpy as np
from absl import logging
from etils import epath
from jaxtyping import Int32, UInt32

from biases_jax import labels as class_labels
from biases_jax.sources import completeness, folders, manifest, records, tfds_arrays
from biases_jax.sources.catalog import Counts, Source


@runtime_checkable
class Reader(Protocol):
    """What reads one kind of copy; `read` may be called from several threads.

    `origin` is the key under which names and labels are cached, '' for no caching.
    """

    names: tuple[str, ...]
    locations: tuple[str, ...]
    labels: dict[str, np.ndarray]
    expected: Counts | None
    origin: str

    def read(self, index: int) -> tuple[str, bytes]:
        """Return the name found with the example, and its encoded image."""


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A complete source, opened: examples 0 to len - 1 in a fixed order."""

    source: Source
    reader: Reader

    def __len__(self) -> int:
        return len(self.reader.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The published names, from which ids are made."""
        return self.reader.names

    @property
    def locations(self) -> tuple[str, ...]:
        """Where a person finds each example: a path below the root, or its name."""
        return self.reader.locations

    @property
    def labels(self) -> dict[str, Int32[np.ndarray, "n k"]]:
        """All label spaces of the source."""
        return self.reader.labels

    @property
    def preprocessing(self) -> str:
        """The policy that makes pixels of its files."""
        return self.source.preprocessing

    @functools.cached_property
    def ids(self) -> UInt32[np.ndarray, "n 2"]:
        """The stable identities."""
        return class_labels.example_ids(self.names)

    @functools.cached_property
    def n_unique(self) -> int:
        """The number of different identities: all, or examples would count twice."""
        return len(np.unique(class_labels.packed_ids(self.ids)))

    @functools.cached_property
    def sha256(self) -> str:
        """Of the sorted (id, labels): equal for every reader and order."""
        order = np.argsort(class_labels.packed_ids(self.ids), kind="stable")
        digest = hashlib.sha256(self.ids[order].astype(">u4").tobytes())
        for space in sorted(self.labels):
            values = self.labels[space][order]
            digest.update(f"{space}{values.shape}".encode())
            digest.update(values.astype("<i4").tobytes())
        return digest.hexdigest()

    @functools.cached_property
    def order(self) -> str:
        """Sha256 of the ids in the fixed order: blocks of equal order can be merged."""
        return class_labels.order_sha256(class_labels.packed_ids(self.ids))

    def encoded(self, index: int) -> bytes:
        """Return an example's image file as published."""
        return self.reader.read(index)[1]

    def write_manifest(self, folder: epath.PathLike) -> epath.Path:
        """Write the list of examples as Parquet and return its path."""
        path = manifest.manifest_path(folder, self.source.name)
        metadata = {
            "source": self.source.name,
            "origin": self.reader.origin,
            "sha256": self.sha256,
            "order": self.order,
            "class_map_sha256": class_labels.CLASS_MAP_SHA256,
        }
        manifest.write(path, self.names, self.labels, metadata)
        return path


def open_source(
    source: Source,
    data_dir: str,
    tfds_dir: str,
    manifest_dir: epath.PathLike | None = None,
) -> Dataset:
    """Open a source from its published folder tree, else from its TFDS copy.

    Args:
        source: a row of `catalog.SOURCES`.
        data_dir: root of the image folders; '' for none.
        tfds_dir: root of the TFDS data sets; '' for TFDS' own default.
        manifest_dir: where the list of a TFDS copy is kept, which takes a pass over
            the whole copy to make; None keeps none.

    Raises:
        FileNotFoundError: neither is there; the message lists the paths tried.
        ValueError: the copy lacks examples, or has some twice.
    """
    root, tried = folders.find_tree(source, data_dir)
    if root is not None:
        return _checked(Dataset(source, folders.open_tree(source, root)), str(root))
    copy, more = tfds_arrays.find_copy(source, tfds_dir)
    if copy is None:
        raise FileNotFoundError(_not_found(source, tried + more, data_dir))
    dataset, listed = _open_copy(source, copy, manifest_dir)
    _checked(dataset, str(copy))
    if manifest_dir is not None and not listed:
        dataset.write_manifest(manifest_dir)
    return dataset


def _open_copy(
    source: Source, copy: epath.Path, manifest_dir: epath.PathLike | None
) -> tuple[Dataset, bool]:
    listing = None
    if manifest_dir is not None:
        path = manifest.manifest_path(manifest_dir, source.name)
        listing = manifest.read_listing(path, tfds_arrays.origin(source, copy))
    if listing is None:
        logging.info("%s: reading all names and labels of %s once", source.name, copy)
    formats = tfds_arrays.file_formats(copy)
    if "array_record" in formats:
        reader: Reader = tfds_arrays.open_arrays(source, copy, listing)
    elif "tfrecord" in formats:
        reader = records.RecordStream(source, copy, listing)
    else:
        raise ValueError(f"{copy}: got {formats}, expected array_record or tfrecord")
    return Dataset(source, reader), listing is not None


def _checked(dataset: Dataset, where: str) -> Dataset:
    where = f"{dataset.source.name} at {where}"
    completeness.check_unique(dataset.ids, dataset.locations, where)
    if dataset.reader.expected is not None:
        classes = dataset.labels["imagenet"]
        completeness.check_counts(classes, dataset.reader.expected, where)
    return dataset


def _not_found(source: Source, tried: list[str], data_dir: str) -> str:
    expected = source.expected or "any number of images"
    return (
        f"{source.name}: neither a folder tree nor a TFDS copy is there; tried "
        + ", ".join(tried)
        + ("" if data_dir else " (no --config.data_dir was given)")
        + "; expected <root>/<class folder>/<image>, where a class folder is a wnid "
        f"(n01440764) or an integer (7), with {expected}; a smaller set declares its "
        f"counts in <root>/{folders.DECLARATION}"
    )
