"""Which small TFDS copies stand for the published ones?

Made by TFDS' own builders, so with their features and class names, of other images.
"""

import io
import pathlib
from collections.abc import Iterable
from typing import Any

import tensorflow_datasets as tfds
import trees
from tensorflow_datasets.core import registered

from biases_jax import labels

FORMATS = ("array_record", "tfrecord")
Records = Iterable[tuple[str, dict[str, Any]]]


def write(
    root: pathlib.Path, name: str, split: str, records: Records, file_format: str
) -> None:
    """Prepare a copy; `name` may have a configuration ('imagenet_v2/topimages')."""
    dataset, _, config = name.partition("/")
    published = tfds.builder_cls(dataset)
    with registered.skip_registration():

        class Small(published):
            """The published builder, with our images."""

            name = dataset

            def _split_generators(self, dl_manager):
                return {split: iter(records)}

    builder = Small(
        data_dir=str(root),
        file_format=file_format,
        **({"config": config} if config else {}),
    )
    # Several files, so that their order counts.
    options = tfds.download.DownloadConfig(num_shards=3)
    builder.download_and_prepare(download_config=options)


def records(
    copy: str, found: list[trees.Example], real: list[list[int]] | None = None
) -> Records:
    """Yield the examples as the builder of a copy does: keys, features, file names."""
    dataset = copy.split("/")[0]
    for number, example in enumerate(found):
        folder, _, base = example.location.rpartition("/")
        image = {"image": io.BytesIO(example.data)}
        if dataset == "imagenet2012_real":
            yield (
                base,
                image
                | {
                    "original_label": folder,
                    "real_label": [labels.WNIDS[i] for i in real[number]],
                    "file_name": base,
                },
            )
        elif dataset == "imagenet_v2":
            place = f"{labels.WNIDS.index(folder)}/{base}"
            label = labels.WNIDS.index(folder)
            yield place.replace("/", "_"), image | {"label": label, "file_name": place}
        elif dataset in ("imagenet_r", "imagenet_sketch"):
            place = f"{folder}/{base}"
            yield place, image | {"label": folder, "file_name": place}
        elif dataset == "geirhos_conflict_stimuli":
            shape, texture = (labels.CATEGORIES[i] for i in example.labels)
            yield (
                base,
                image
                | {
                    "shape_label": shape,
                    "shape_imagenet_labels": ["n02690373"],
                    "texture_label": texture,
                    "texture_imagenet_labels": ["n02690373", "n02835271"],
                    "file_name": base,
                },
            )
        else:  # imagenet2012, imagenet_a
            yield base, image | {"label": folder, "file_name": base}
