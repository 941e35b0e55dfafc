"""Are names and labels of a row's examples those that were measured?"""

import json

import numpy as np
import pytest

from biases_jax import labels, listing, rows
from biases_jax.sources import manifest

NAMES = ("b.JPEG", "a.JPEG", "c.JPEG")
VALUES = np.array([[3], [5], [7]], np.int32)


def row(source_sha256="right"):
    return rows.Row(
        model="m",
        benchmark="natural/imagenet",
        fingerprint="f",
        n_expected=3,
        sums={"count": 3},
        cost={},
        provenance={
            "source": "imagenet",
            "label_space": "imagenet",
            "source_sha256": source_sha256,
        },
        runs=(),
        blocks=(),
    )


def write(folder):
    path = manifest.manifest_path(folder, "imagenet")
    metadata = {"sha256": json.dumps({"imagenet": "right"})}
    manifest.write(path, NAMES, {"imagenet": VALUES}, metadata)


def test_the_list_is_sorted_by_id_and_keeps_names_with_labels(tmp_path):
    write(tmp_path)
    found = listing.load(tmp_path, row())
    ids = labels.packed_ids(labels.example_ids(NAMES))
    order = np.argsort(ids)
    assert found["id"].to_pylist() == ids[order].tolist()
    assert found["name"].to_pylist() == [NAMES[i] for i in order]
    assert found["imagenet"].to_pylist() == VALUES[order, 0].tolist()


def test_a_list_that_is_gone_or_of_other_labels_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="got no .*imagenet.parquet"):
        listing.load(tmp_path, row())
    write(tmp_path)
    with pytest.raises(ValueError, match="other examples or labels 'imagenet'"):
        listing.load(tmp_path, row("other"))
