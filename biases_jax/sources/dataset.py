"""Which examples does a source hold here, in which order, and from which reader?"""

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Mapping

import numpy as np
from etils import epath
from jaxtyping import Int32, UInt32

from biases_jax import labels as class_labels
from biases_jax.sources import conditions, locate, manifest, real_labels
from biases_jax.sources.source import Reader, Source


@dataclasses.dataclass(frozen=True, eq=False)
class Dataset:
    """A complete source, opened: examples 0 to len - 1 in a fixed order.

    `added` are label spaces that lie beside the images, `absent` says of those that
    could be had why they cannot.
    """

    source: Source
    reader: Reader
    added: Mapping[str, Int32[np.ndarray, "n k"]] = dataclasses.field(
        default_factory=dict
    )
    absent: Mapping[str, str] = dataclasses.field(default_factory=dict)
    _digests: dict[str, str] = dataclasses.field(default_factory=dict, init=False)

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
        """All label spaces that are there."""
        return self.reader.labels | dict(self.added)

    @property
    def preprocessing(self) -> str:
        """The policy that makes pixels of its files."""
        return self.source.preprocessing

    @property
    def declared(self) -> bool:
        """Whether the set says itself that it is not the published one."""
        return self.source.declares(self.reader.expected)

    @functools.cached_property
    def proof(self) -> str:
        """What proves its labels, for people."""
        return conditions.proof(self.source, self.reader, self.labels)

    @property
    def drawn(self) -> bool:
        """Whether the set says itself that its images are no photographs."""
        return conditions.is_drawn(self.reader)

    @functools.cached_property
    def ids(self) -> UInt32[np.ndarray, "n 2"]:
        """The stable identities."""
        return class_labels.example_ids(self.names)

    @functools.cached_property
    def n_unique(self) -> int:
        """The number of different identities: all, or examples would count twice."""
        return len(np.unique(class_labels.packed_ids(self.ids)))

    def lacks(self, space: str) -> str:
        """Return why a label space is not there, '' if it is."""
        if space in self.labels:
            return ""
        return self.absent.get(space) or (
            f"{self.source.name}: got label space {space!r}, expected one of "
            f"{', '.join(sorted(self.labels))}"
        )

    def sha256(self, space: str) -> str:
        """Return the hash of the sorted (id, label): equal for every reader and order.

        Of one label space, so that another may come or go; KeyError if it is absent.
        """
        if space not in self._digests:
            order = np.argsort(class_labels.packed_ids(self.ids), kind="stable")
            values = self.labels[space][order]
            digest = hashlib.sha256(self.ids[order].astype(">u4").tobytes())
            digest.update(f"{space}{values.shape}".encode())
            digest.update(values.astype("<i4").tobytes())
            self._digests[space] = digest.hexdigest()
        return self._digests[space]

    @functools.cached_property
    def order(self) -> str:
        """Sha256 of the ids in the fixed order: blocks of equal order can be merged."""
        return class_labels.order_sha256(class_labels.packed_ids(self.ids))

    def encoded(self, index: int) -> bytes:
        """Return an example's image file as published."""
        return self.reader.read(index)[1]

    def write_manifest(self, folder: epath.PathLike) -> epath.Path:
        """Write the list of examples as Parquet and return its path.

        With the labels of the copy alone: others lie beside it and may change.
        """
        path = manifest.manifest_path(folder, self.source.name)
        metadata = {
            "source": self.source.name,
            "origin": self.reader.origin,
            "sha256": json.dumps({s: self.sha256(s) for s in self.reader.labels}),
            "order": self.order,
            "class_map_sha256": class_labels.CLASS_MAP_SHA256,
        }
        manifest.write(path, self.names, self.reader.labels, metadata)
        return path


def open_source(
    source: Source,
    data_dir: str,
    tfds_dir: str,
    manifest_dir: epath.PathLike | None = None,
) -> Dataset:
    """Open a source from its published tree or archive, else from its TFDS copy.

    Args:
        source: a row of `catalog.SOURCES`.
        data_dir: root of the image folders; '' for none.
        tfds_dir: root of the TFDS data sets; '' for TFDS' own default.
        manifest_dir: where the list of a TFDS copy is kept, which takes a pass over
            the whole copy to make; None keeps none.

    Raises:
        AbsentError: neither is there; the message lists the paths tried.
        ImportError: the copy is stored as TFRecord, and TensorFlow is absent.
        ValueError: the copy lacks examples, or has some twice.
    """
    reader, where, fresh = locate.locate(source, data_dir, tfds_dir, manifest_dir)
    dataset = _checked(Dataset(source, reader), where)
    if manifest_dir is not None and fresh:
        dataset.write_manifest(manifest_dir)
    return with_added(dataset, data_dir)


def with_added(dataset: Dataset, data_dir: str) -> Dataset:
    """Return the data set with the labels that lie beside the images."""
    if not dataset.source.reassessed or "real" in dataset.labels:
        return dataset
    try:
        added = {"real": real_labels.find(dataset.names, data_dir, dataset.declared)}
    except (OSError, ValueError) as error:
        return dataclasses.replace(dataset, absent={"real": str(error)})
    return dataclasses.replace(dataset, added=added)


def checks(dataset: Dataset, where: str) -> dict[str, Callable[[], None]]:
    """Return what must hold of a source, by name: functions that raise ValueError."""
    source, reader = dataset.source, dataset.reader
    return conditions.checks(source, reader, dataset.labels, dataset.ids, where)


def _checked(dataset: Dataset, where: str) -> Dataset:
    for check in checks(dataset, f"{dataset.source.name} at {where}").values():
        check()
    return dataset
