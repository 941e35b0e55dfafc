"""Does every validation image get ReaL's labels by its number, or an error?"""

import json

import numpy as np
import pytest
from sources.identity_test import Reader
from sources.source_files import encode, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset, real_labels, validation

LISTS = [[1], [], [2, 3], [0], []] * 2
NAMES = tuple(f"ILSVRC2012_val_{n:08d}.JPEG" for n in range(1, 11))
PICTURE = encode(np.zeros((8, 8, 3), np.uint8))


def write(folder, content) -> None:
    (folder / "real.json").write_text(json.dumps(content))


def opened(tmp_path, names=NAMES):
    """Return ten images whose folders sort otherwise than their numbers."""
    files = {
        f"{labels.WNIDS[(7 * n) % 10]}/{name}": PICTURE for n, name in enumerate(names)
    }
    declared = {"source": "imagenet", "classes": 10, "examples": 10}
    files["dataset.json"] = json.dumps(declared).encode()
    write_tree(tmp_path / "val", files)
    row = catalog.SOURCES["imagenet"]
    return dataset.open_source(row, str(tmp_path), str(tmp_path))


@pytest.mark.parametrize("published", [False, True])
def test_labels_follow_the_files_numbers_whatever_their_order(tmp_path, published):
    write(tmp_path, LISTS + [[]] * 49_990 if published else LISTS)
    found = opened(tmp_path)
    assert found.lacks("real") == "" and found.names != NAMES
    by_name = dict(zip(found.names, found.labels["real"].tolist(), strict=True))
    padded = [[1, -1], [-1, -1], [2, 3], [0, -1], [-1, -1]] * 2
    assert by_name == dict(zip(NAMES, padded, strict=True))
    assert found.labels["real"].dtype == np.int32


def test_the_hash_is_of_the_images_that_are_there(tmp_path):
    write(tmp_path, LISTS)
    own = opened(tmp_path).sha256("real")
    write(tmp_path, LISTS + [[9, 8, 7, 6]] * 49_990)
    assert opened(tmp_path).sha256("real") == own


def test_no_list_holds_a_label_at_all(tmp_path):
    write(tmp_path, [[]] * 10)
    assert opened(tmp_path).labels["real"].tolist() == [[-1]] * 10


def test_without_the_file_it_is_said_where_it_is_expected(tmp_path):
    found = opened(tmp_path)
    assert "real" not in found.labels
    assert f"got no {tmp_path}/real.json" in found.lacks("real")
    assert "reassessed-imagenet" in found.lacks("real")
    with pytest.raises(FileNotFoundError, match="got no --config.data_dir"):
        real_labels.find(NAMES, "")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (LISTS[:-1], "got 9 lists, expected 50000"),
        (LISTS + [[1]], "got 11 lists, expected 50000"),
        ([*LISTS[:2], 3, *LISTS[3:]], "got 3 for image 3, expected a list of integers"),
        ([*LISTS[:2], [2, "3"], *LISTS[3:]], r"got \[2, '3'\] for image 3"),
        ([*LISTS[:2], [True], *LISTS[3:]], r"got \[True\] for image 3"),
        ([*LISTS[:2], [2.0], *LISTS[3:]], r"got \[2.0\] for image 3"),
        ([*LISTS[:2], [[2]], *LISTS[3:]], r"got \[\[2\]\] for image 3"),
        (
            [*LISTS[:2], [1000], *LISTS[3:]],
            r"got classes \[1000\] for image 3, expected 0 to 999",
        ),
        (
            [*LISTS[:2], [-1], *LISTS[3:]],
            r"got classes \[-1\] for image 3, expected 0 to 999",
        ),
        ({"1": [1]}, "got dict, expected a list of lists"),
    ],
)
def test_a_file_that_is_not_as_published_is_a_reason(tmp_path, content, message):
    write(tmp_path, content)
    found = opened(tmp_path)
    assert "real" not in found.labels and found.labels["imagenet"].shape == (10, 1)
    with pytest.raises(ValueError, match=f"real.json: {message}"):
        real_labels.find(NAMES, str(tmp_path))
    assert found.lacks("real").startswith(f"{tmp_path}/real.json: got")


@pytest.mark.parametrize("text", ["[[1],", "<html>", "[" * 100_000, '"\udcff"'])
def test_what_is_no_json_is_a_reason(tmp_path, text):
    (tmp_path / "real.json").write_bytes(text.encode(errors="surrogateescape"))
    assert opened(tmp_path).lacks("real").startswith(f"{tmp_path}/real.json: ")


@pytest.mark.parametrize(
    "name", ["cat.JPEG", "ILSVRC2012_val_1.JPEG", "ILSVRC2012_val_00050001.JPEG"]
)
def test_a_name_without_a_number_is_named(tmp_path, name):
    write(tmp_path, LISTS)
    reason = opened(tmp_path, (*NAMES[:9], name)).lacks("real")
    assert f"got 1 names such as '{name}'" in reason


def test_a_number_beyond_a_short_file_is_an_error(tmp_path):
    write(tmp_path, LISTS)
    names = (*NAMES[:9], "ILSVRC2012_val_00000011.JPEG")
    reason = opened(tmp_path, names).lacks("real")
    assert "got 10 lists, expected one for image 11" in reason


@pytest.fixture(scope="module")
def published():
    """Return names and lists that are as ReaL's: nine of ten hold the class."""
    classes = validation.classes().tolist()
    lists = [[(c + 7) % 1000] if n % 10 == 0 else [c] for n, c in enumerate(classes)]
    for number in range(validation.IMAGES - real_labels.NON_EMPTY):
        lists[number] = []
    return [f"ILSVRC2012_val_{n + 1:08d}.JPEG" for n in range(len(lists))], lists


def changed(lists, how):
    return {
        "shifted": [[], *lists[:-1]],
        "empty": [[]] * len(lists),
        "reversed": [[999 - c for c in entry] for entry in lists],
        "one more": [[0], *lists[1:]],
    }[how]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("shifted", "got classes for 46836 of 50000|got the published class in 0"),
        ("empty", "got classes for 0 of 50000 images, expected them for 46837"),
        ("reversed", "got the published class in 0.*expected about nine of ten"),
        ("one more", "got classes for 46838 of 50000"),
    ],
)
def test_lists_that_are_not_reals_are_refused(published, how, message):
    names, lists = published
    right = real_labels.padded(lists)
    real_labels.check(names, right, False, "here")
    with pytest.raises(ValueError, match=f"here: {message}"):
        real_labels.check(names, real_labels.padded(changed(lists, how)), False, "here")


def test_lists_of_other_images_are_noticed_in_a_part_too(published):
    names, lists = published
    part = slice(20_000, 20_200)
    right = real_labels.padded(lists[part])
    shifted = real_labels.padded(lists[19_999:20_199])
    real_labels.check(names[part], right, True, "here")
    with pytest.raises(ValueError, match="expected about nine of ten"):
        real_labels.check(names[part], shifted, True, "here")
    # Of few images nothing is known.
    real_labels.check(names[20_000:20_050], shifted[:50], True, "here")


def test_a_copys_own_lists_are_held_apart_too(published):
    names, lists = published
    row = catalog.SOURCES["imagenet"]
    spaces = {"imagenet": validation.classes()}
    for real in (lists, changed(lists, "reversed")):
        reader = Reader(tuple(names), **spaces)
        reader.expected = row.expected
        reader.labels["real"] = real_labels.padded(real)
        checks = dataset.checks(dataset.Dataset(row, reader), "here")
        if real is lists:
            checks["real"]()
            continue
        with pytest.raises(ValueError, match="expected about nine of ten"):
            checks["real"]()
