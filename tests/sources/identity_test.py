"""Does a hash say which labels a result was made with, and nothing else?"""

import numpy as np
import pytest

from biases_jax import labels
from biases_jax.sources import catalog, dataset

NAMES = tuple(f"ILSVRC2012_val_{i:08d}.JPEG" for i in (3, 1, 2))
# Of these names with the classes 7, 0 and 999, when rows were first published.
SHA256 = "5a403126748638ad1c06443bd16453b858a05c65c1fe00952fa682ef4126fa2c"


class Reader:
    """Examples without images."""

    expected, origin = None, ""

    def __init__(self, names, **spaces):
        self.names = self.locations = names
        self.labels = {
            space: np.array(values, np.int32).reshape(len(names), -1)
            for space, values in spaces.items()
        }

    def read(self, index):
        """Return nothing but the name."""
        return self.names[index], b""


def opened(names=NAMES, imagenet=(7, 0, 999), **added):
    """Return a data set with more label spaces beside its own."""
    reader = Reader(names, imagenet=imagenet)
    added = {s: np.array(v, np.int32) for s, v in added.items()}
    return dataset.Dataset(catalog.SOURCES["imagenet"], reader, added)


def test_the_hash_of_the_classes_is_what_it_was_when_there_was_no_other():
    assert opened().sha256("imagenet") == SHA256


def test_other_labels_do_not_change_the_hash_of_the_classes():
    found = opened(real=[[7, -1], [0, 5], [-1, -1]])
    assert found.sha256("imagenet") == SHA256
    assert found.sha256("real") not in ("", SHA256)
    changed = opened(real=[[7, -1], [0, 6], [-1, -1]])
    assert changed.sha256("imagenet") == SHA256
    assert changed.sha256("real") != found.sha256("real")


def test_the_hash_does_not_depend_on_the_order():
    other = opened((NAMES[1], NAMES[2], NAMES[0]), (0, 999, 7))
    assert other.sha256("imagenet") == SHA256
    assert opened(imagenet=(0, 7, 999)).sha256("imagenet") != SHA256


def test_a_label_space_that_is_not_there_is_named():
    found = opened()
    assert found.lacks("imagenet") == ""
    assert found.lacks("category") == (
        "imagenet: got label space 'category', expected one of imagenet"
    )
    with pytest.raises(KeyError):
        found.sha256("category")
    told = dataset.Dataset(found.source, found.reader, absent={"real": "no file"})
    assert told.lacks("real") == "no file"


def test_every_row_of_the_catalogue_reads_known_classes():
    of_any_size = [s for s in catalog.SOURCES.values() if s.expected is None]
    assert [source.name for source in of_any_size] == ["frequency_cue_conflict"]
    for source in catalog.SOURCES.values():
        expected = source.expected
        if source in of_any_size:
            continue
        known = labels.WNIDS if source.space == "imagenet" else labels.CATEGORIES
        assert expected.classes == len(source.classes or known)
        if expected.per_class is not None:
            assert expected.classes * expected.per_class == expected.examples
        for copy in source.copies:
            assert copy.labels[0][0] == source.space
