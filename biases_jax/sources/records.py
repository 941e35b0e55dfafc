"""How is a TFDS copy read that is stored as TFRecord?

Through TensorFlow's tf.data, the one place that needs it (extra `[tf]`). TensorFlow
only hands over encoded bytes; pixels are made as for every other reader.
"""

import itertools
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import tensorflow_datasets as tfds
from etils import epath

from biases_jax.sources import copy_errors, tfds_arrays
from biases_jax.sources.source import Source, TfdsCopy

# How far apart the parallel readers of one stream may ask, in records.
_WINDOW = 128


class RecordStream:
    """A TFRecord copy, read in order: quick for rising indices, slow for a jump back.

    `read` may be called from several threads that together ask for rising indices;
    what was read past is kept for the slower ones within a window.
    """

    def __init__(
        self,
        source: Source,
        copy: TfdsCopy,
        folder: epath.Path,
        listing: tfds_arrays.Listing | None,
    ):
        self._source = source
        self._copy = copy
        self._folder = folder
        with copy_errors.reading(folder):
            self._builder = tfds.builder_from_directory(folder, file_format="tfrecord")
            tfds_arrays.check_classes(copy, self._builder.info.features, folder)
            listing = listing or tfds_arrays.list_examples(
                source, copy, self._stream(0)
            )
        self.names = listing.names
        self.locations = listing.names
        self.labels = listing.labels
        self.expected = source.expected
        self.origin = tfds_arrays.origin(copy, folder)
        self._lock = threading.Lock()
        self._records: Iterator[Mapping[str, Any]] = iter(())
        self._next = len(self.names)  # index of the record that comes next
        self._kept: dict[int, tuple[str, bytes]] = {}

    def read(self, index: int) -> tuple[str, bytes]:
        """Return the name that the record holds, and the encoded image.

        Raises:
            CopyError: it cannot be read, or the copy ends before it.
        """
        with self._lock, copy_errors.reading(self._folder):
            if index not in self._kept:
                self._read_to(index)
            return self._kept[index]

    def _read_to(self, index: int) -> None:
        if not self._next <= index < self._next + _WINDOW:
            self._next = max(0, index - _WINDOW)
            self._kept.clear()
            self._records = self._stream(self._next)
        for record in itertools.islice(self._records, index + 1 - self._next):
            name = tfds_arrays.example_name(self._source, self._copy, record)
            self._kept[self._next] = name, record["image"]
            self._kept.pop(self._next - 2 * _WINDOW, None)
            self._next += 1
        if self._next <= index:
            raise IndexError(f"got {self._next} records, expected more than {index}")

    def _stream(self, first: int) -> Iterator[Mapping[str, Any]]:
        _hide_accelerators()
        return self._builder.as_dataset(
            split=f"{self._copy.split}[{first}:]",
            shuffle_files=False,
            decoders={"image": tfds.decode.SkipDecoding()},
            # One file after the other: the order in which array_record stores too.
            read_config=tfds.ReadConfig(interleave_cycle_length=1),
        ).as_numpy_iterator()


def _hide_accelerators() -> None:
    """Keep TensorFlow off the accelerators, which are JAX's.

    Raises:
        ImportError: TensorFlow is not installed.
    """
    try:
        import tensorflow
    except ImportError as error:
        raise ImportError(
            "this TFDS copy is stored as TFRecord, which only TensorFlow reads: "
            "install biases_jax[tf], or prepare the copy with "
            "file_format='array_record'"
        ) from error
    tensorflow.config.set_visible_devices([], "GPU")
