"""Is it said of labels whether anything proves them, and of files that are left out?"""

import json

import pytest
import trees
from doctor.sources_test import TEN, cells, examine, only, write

from biases_jax import labels
from biases_jax.sources import catalog
from biases_jax.sources.source import Counts

FILES = trees.files(trees.validation("JPEG", 40))


@pytest.mark.parametrize(
    "source", ["imagenet_v2/top_images", "imagenet_a", "imagenet_r", "imagenet_sketch"]
)
def test_a_set_whose_names_do_not_tell_the_class_gets_a_note(tmp_path, source):
    row, examples = catalog.SOURCES[source], trees.examples(source)
    write(tmp_path / "data" / row.folders[0], trees.files(examples))
    classes = len({example.labels for example in examples})
    expected = Counts(classes, len(examples))
    (note,) = examine(tmp_path, source, expected=expected).findings
    assert not note.grave and "labels cannot be proved" in note.message
    assert str(expected) in note.message
    assert ("exactly the 200 classes" in note.message) == bool(row.classes)


def test_other_labels_than_published_are_a_fault_of_a_declared_set_too(tmp_path):
    one, two = labels.WNIDS[65], labels.WNIDS[970]
    names = {one: two, two: one}
    files = {names.get(p[:9], p[:9]) + p[9:]: data for p, data in FILES.items()}
    declared = {"source": "imagenet", "classes": 10, "examples": 10}
    files["dataset.json"] = json.dumps(declared).encode()
    write(tmp_path / "data", files)
    published = catalog.SOURCES["imagenet"].expected
    found = examine(tmp_path, expected=published)
    assert "other labels than those published" in only(found)
    assert found.findings[0].grave and cells(found)["labels"] == "other than published"
    found = examine(tmp_path, expected=TEN)  # as many as published: no set of its own
    assert "got 2 wrong labels" in only(found)


def test_images_beside_the_class_folders_are_a_note(tmp_path):
    loose = {f"ILSVRC2012_val_{n:08d}.JPEG": b"x" for n in range(11, 18)}
    write(tmp_path / "data/val", {**FILES, **loose, "README.txt": b"x"})
    (note,) = examine(tmp_path).findings
    assert not note.grave and "got 7 images beside the folders" in note.message
    assert "ILSVRC2012_val_00000011.JPEG" in note.message


def test_folders_among_the_images_are_a_note_with_what_is_in_them(tmp_path):
    folder = next(iter(FILES)).partition("/")[0]
    within = {f"{folder}/sub/{n}.JPEG": b"x" for n in range(3)}
    write(tmp_path / "data/val", {**FILES, **within})
    (note,) = examine(tmp_path).findings
    assert not note.grave and "got 1 folders inside folders of images" in note.message
    assert f"({folder}/sub (3 images in it))" in note.message


def test_a_stray_folder_hides_neither_the_place_nor_other_faults(tmp_path):
    gone = next(place for place in FILES if "00000004" in place)
    files = {place: data for place, data in FILES.items() if place != gone}
    write(tmp_path / "data/val", {**files, "__MACOSX/x.JPEG": b"x"})
    found = examine(tmp_path)
    line = cells(found)
    assert (line["place"], line["images"]) == (str(tmp_path / "data/val"), "9")
    messages = " ".join(finding.message for finding in found.findings)
    assert "'__MACOSX'" in messages and "absent: ILSVRC2012_val_00000004" in messages


def test_of_a_set_of_any_size_no_counts_are_told(tmp_path):
    picture = trees.picture(0, "PNG", 224)
    write(tmp_path / "data/mine", {f"{c}/1.png": picture for c in labels.CATEGORIES})
    (note,) = examine(tmp_path, "own/mine", expected=None).findings
    assert not note.grave and "checked are the counts (any will do)" in note.message
