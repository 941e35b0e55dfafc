"""Is what a set says of itself taken literally, or refused?"""

import pytest
from sources.source_files import declare

from biases_jax.sources import catalog, declaration
from biases_jax.sources.files import Folder
from biases_jax.sources.source import Counts

ROW = catalog.SOURCES["imagenet"]
SMALL = {"source": "imagenet", "classes": 5, "examples": 24}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"classes": True}, "classes = True, expected int above 0"),
        ({"classes": -1}, "classes = -1, expected int above 0"),
        ({"examples": 0}, "examples = 0, expected int above 0"),
        ({"examples": 24.0}, "examples = 24.0, expected int above 0"),
        ({"per-class": 5}, "the unknown key 'per-class', expected one of source"),
        ({"per_class": None}, "per_class = None, expected int above 0"),
    ],
)
def test_what_is_no_count_or_no_key_is_refused(tmp_path, changed, message):
    declare(tmp_path, **{**SMALL, **changed})
    with pytest.raises(ValueError, match=f"dataset.json: got {message}"):
        declaration.counts(ROW, Folder(tmp_path))


def test_counts_are_taken_as_they_stand(tmp_path):
    declare(tmp_path, **SMALL, drawn="0123")
    assert declaration.counts(ROW, Folder(tmp_path)) == Counts(5, 24)
    declare(tmp_path, **SMALL, per_class=3)
    assert declaration.counts(ROW, Folder(tmp_path)) == Counts(5, 24, 3)
