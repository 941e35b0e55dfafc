"""Which reader opens a TFDS copy, and are its names known already?"""

import json

from absl import logging
from etils import epath

from biases_jax.sources import manifest, records, tfds_arrays
from biases_jax.sources.source import Reader, Source, TfdsCopy


def open_copy(
    source: Source,
    copy: TfdsCopy,
    folder: epath.Path,
    manifest_dir: epath.PathLike | None,
) -> tuple[Reader, bool]:
    """Open a copy, and say whether its list of examples was there.

    Raises:
        ImportError: it is stored as TFRecord, and TensorFlow is absent.
        ValueError: it is another data set, stored otherwise, or numbers the classes
            otherwise.
    """
    formats = tfds_arrays.file_formats(folder)
    _refuse_another(copy, folder)
    listing = None
    if manifest_dir is not None:
        path = manifest.manifest_path(manifest_dir, source.name)
        listing = manifest.read_listing(path, tfds_arrays.origin(copy, folder))
    if listing is None:
        logging.info("%s: reading all names and labels of %s once", source.name, folder)
    if "array_record" in formats:
        reader: Reader = tfds_arrays.open_arrays(source, copy, folder, listing)
    elif "tfrecord" in formats:
        reader = records.RecordStream(source, copy, folder, listing)
    else:
        raise ValueError(f"{folder}: got {formats}, expected array_record or tfrecord")
    return reader, listing is not None


def _refuse_another(copy: TfdsCopy, folder: epath.Path) -> None:
    """Refuse a copy of another data set or configuration, whose folder was renamed."""
    info = json.loads((folder / "dataset_info.json").read_text())
    name, _, config = copy.name.partition("/")
    # Old versions of TFDS do not write the configuration.
    found = info.get("name", name), info.get("configName", config)
    if found != (name, config):
        raise ValueError(
            f"{folder}: got a copy of {'/'.join(filter(None, found))}, expected "
            f"{copy.name}; give its folder back the name that TFDS gave it"
        )
