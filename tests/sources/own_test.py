"""Can sets be measured that the catalogue does not list, by their files' names?"""

import json
import logging

import pytest
import trees
from sources.source_files import declare, write_tree

from biases_jax.labels import CATEGORIES
from biases_jax.sources import catalog, dataset, preprocess

PICTURE = trees.picture(0, "PNG")
SMALL = trees.picture(0, "PNG", 40)


def opened(root, name):
    return dataset.open_source(catalog.SOURCES[name], str(root), str(root / "none"))


def test_a_folder_of_categories_opens_whatever_its_size(tmp_path):
    files = {f"{category}/1.png": PICTURE for category in CATEGORIES}
    write_tree(tmp_path / "my.photos-2", files | {"oven/2.png": PICTURE})
    found = opened(tmp_path, "own/my.photos-2")
    places = dict(zip(found.names, found.labels["category"].tolist(), strict=True))
    each = {f"{category}/1.png": [i] for i, category in enumerate(CATEGORIES)}
    assert places == each | {"oven/2.png": [14]}


def test_a_folder_of_conflicts_opens_with_both_cues(tmp_path):
    files = {"bear/bear1-car2.png": PICTURE, "oven/oven1-dog1.png": PICTURE}
    write_tree(tmp_path / "mine", files)
    declare(tmp_path / "mine", source="own_cue_conflict/mine", classes=2, examples=2)
    found = opened(tmp_path, "own_cue_conflict/mine")
    labels = dict(
        zip(found.locations, found.labels["shape_texture"].tolist(), strict=True)
    )
    assert labels == {"bear/bear1-car2.png": [1, 6], "oven/oven1-dog1.png": [14, 10]}


def without(place, *absent):
    return {
        place.format(category): PICTURE
        for category in CATEGORIES
        if category not in absent
    }


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("own/mine", "{}/1.png"),
        ("own_cue_conflict/mine", "{0}/{0}1-truck2.png"),  # a texture is no shape
    ],
)
@pytest.mark.parametrize("absent", [["truck"], ["airplane", "oven"]])
def test_an_absent_category_is_named_unless_the_set_declares_it(
    tmp_path, name, place, absent
):
    write_tree(tmp_path / "mine", without(place, *absent))
    (tmp_path / "mine" / absent[0]).mkdir()  # an empty folder is no category
    with pytest.raises(ValueError, match="expected all 16") as error:
        opened(tmp_path, name)
    left = 16 - len(absent)
    message = str(error.value)
    assert f"got images in {left} category folders" in message
    assert f"; no images of {', '.join(absent)}; add them, or declare" in message
    # What the message shows to declare is taken.
    shown = json.loads(message[message.index("{") :])
    assert shown == {"source": name, "classes": left, "examples": left}
    declare(tmp_path / "mine", **shown)
    assert len(opened(tmp_path, name)) == left
    declare(tmp_path / "mine", source=name, classes=16, examples=left)
    with pytest.raises(ValueError, match=f"no images of {absent[0]}"):
        opened(tmp_path, name)


def pack(folder, files):
    trees.pack(folder.with_suffix(".tar"), files)


@pytest.mark.parametrize("put", [write_tree, pack], ids=["folder", "archive"])
@pytest.mark.parametrize(
    ("name", "place"),
    [("own/mine", "{}/1.png"), ("own_cue_conflict/mine", "{0}/{0}1-truck2.png")],
)
def test_folders_in_category_folders_are_said_to_be_ignored(
    tmp_path, caplog, name, place, put
):
    within = {f"airplane/sub/{n}.png": PICTURE for n in range(3)}
    within |= {"bear/empty.d/notes.txt": b"", "bear/notes.txt": b""}
    put(tmp_path / "mine", without(place) | within)
    with caplog.at_level(logging.WARNING):
        assert len(opened(tmp_path, name)) == 16
    assert (
        "folders inside folders of images are not read: airplane/sub (3 images in it), "
        "bear/empty.d (0 images in it)"
    ) in caplog.text
    assert "ignored 1 files that are no images: bear/notes.txt" in caplog.text


def test_images_of_one_s_own_are_not_said_to_be_published(tmp_path):
    write_tree(tmp_path / "mine", without("{}/1.png") | {"bear/a.png": SMALL})
    found = opened(tmp_path, "own/mine")
    data = found.encoded(found.names.index("bear/a.png"))
    message = "got 40x40 .*expected 224x224: .*resize those of your own"
    with pytest.raises(preprocess.CorruptImage, match=message):
        preprocess.decode(data, found.preprocessing)


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("own/mine", {}, "expected <root>/<category>/<image>"),
        (
            "own/mine",
            {"bear/1.png": PICTURE, "sofa/1.png": PICTURE},
            "'sofa/1.png'.*correct the names, or restore those of a published set",
        ),
        (
            "own_cue_conflict/mine",
            {"bear/1.png": PICTURE},
            "expected <shape>/<shape>1-<texture>2.png",
        ),
        (
            "own/mine",
            {
                "bear/1.png": PICTURE,
                "dataset.json": b'{"source": "own/mine", "classes": 2, "examples": 2}',
            },
            "got 1 images of 1 classes, expected 2 of 2",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, files, message):
    if files:
        write_tree(tmp_path / "mine", files)
    with pytest.raises((ValueError, OSError), match=message):
        opened(tmp_path, name)


@pytest.mark.parametrize("name", ["own", "own/", "own/a/b", "own/.git", "other/a"])
def test_other_names_are_unknown(name):
    with pytest.raises(KeyError):
        catalog.SOURCES[name]
    assert name not in catalog.SOURCES


def test_what_is_listed_is_not_changed_by_a_look_up():
    before = list(catalog.SOURCES)
    assert catalog.SOURCES["own/x"].folders == ("x",)
    assert catalog.SOURCES["own/x"] == catalog.SOURCES["own/x"]
    assert list(catalog.SOURCES) == before and "own/x" not in catalog.SOURCES
