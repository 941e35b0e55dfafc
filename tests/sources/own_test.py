"""Can sets be measured that the catalogue does not list, by their files' names?"""

import pytest
import trees
from sources.source_files import write_tree

from biases_jax.sources import catalog, dataset

PICTURE = trees.picture(0, "PNG")


def opened(root, name):
    return dataset.open_source(catalog.SOURCES[name], str(root), str(root / "none"))


def test_a_folder_of_categories_opens_whatever_its_size(tmp_path):
    files = {"bear/1.png": PICTURE, "oven/1.png": PICTURE, "oven/2.png": PICTURE}
    write_tree(tmp_path / "my.photos-2", files)
    found = opened(tmp_path, "own/my.photos-2")
    labels = dict(zip(found.names, found.labels["category"].tolist(), strict=True))
    assert labels == {"bear/1.png": [1], "oven/1.png": [14], "oven/2.png": [14]}


def test_a_folder_of_conflicts_opens_with_both_cues(tmp_path):
    files = {"bear/bear1-car2.png": PICTURE, "oven/oven1-dog1.png": PICTURE}
    write_tree(tmp_path / "mine", files)
    found = opened(tmp_path, "own_cue_conflict/mine")
    labels = dict(
        zip(found.locations, found.labels["shape_texture"].tolist(), strict=True)
    )
    assert labels == {"bear/bear1-car2.png": [1, 6], "oven/oven1-dog1.png": [14, 10]}


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("own/mine", {}, "expected <root>/<category>/<image>"),
        ("own/mine", {"bear/1.png": PICTURE, "sofa/1.png": PICTURE}, "'sofa/1.png'"),
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
