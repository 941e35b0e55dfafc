"""Are the sets that people saw read as published, and others refused clearly?"""

import collections
import dataclasses

import numpy as np
import pytest
import trees
from sources.source_files import declare, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset, model_vs_human
from biases_jax.sources.source import Counts, Source

SETS = model_vs_human.SETS
WITH_CONDITIONS = [name for name, row in SETS.items() if row.conditions]
PICTURE = trees.picture(0, "PNG")


def opened(tmp_path, row):
    return dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))


def write(tmp_path, name, files):
    folder = tmp_path / "model-vs-human" / name
    write_tree(folder, files)
    return folder


def published(name):
    """Return the files of a whole set, all of one picture."""
    row = SETS[name]
    each = row.examples // len(row.conditions or "0") // 16
    return {example.location: PICTURE for example in trees.session(name, each)}


def refusal(tmp_path, name, files):
    """Return what is said of a whole set that these files replace in part."""
    write(tmp_path, name, files)
    with pytest.raises(ValueError) as error:
        opened(tmp_path, catalog.SOURCES[f"model_vs_human/{name}"])
    message = str(error.value)
    assert message.startswith(f"model_vs_human/{name} at {tmp_path}")
    return message


@pytest.mark.parametrize("name", WITH_CONDITIONS)
def test_a_whole_set_opens_with_the_category_and_condition_of_every_image(
    tmp_path, name
):
    write(tmp_path, name, published(name))
    source = catalog.SOURCES[f"model_vs_human/{name}"]
    found = opened(tmp_path, source)
    pairs = found.labels["category_condition"]
    assert pairs.dtype == np.int32 and len(found) == SETS[name].examples
    np.testing.assert_array_equal(pairs[:, :1], found.labels["category"])
    spelled = trees.CONDITIONS.get(name, source.conditions)
    for base, (category, condition) in zip(found.names, pairs.tolist(), strict=True):
        fields = base.split("_")
        assert fields[3] == spelled[condition]
        assert fields[4] == labels.CATEGORIES[category]
    counts = collections.Counter(pairs[:, 1].tolist())
    assert set(counts.values()) == {source.expected.per_condition}
    assert not found.declared and found.proof == "by name"


@pytest.mark.parametrize("name", ["edge", "silhouette"])
def test_the_folder_alone_tells_the_category(tmp_path, name):
    files = {
        f"{category}/{category}{number}.png": PICTURE
        for category in labels.CATEGORIES
        for number in range(1, 11)
    }
    write(tmp_path, name, files)
    found = opened(tmp_path, catalog.SOURCES[f"model_vs_human/{name}"])
    assert list(found.labels) == ["category"] and len(found) == 160
    for location, (category,) in zip(
        found.locations, found.labels["category"].tolist(), strict=True
    ):
        assert location.partition("/")[0] == labels.CATEGORIES[category]
    assert found.proof == "not provable"


@pytest.mark.parametrize(
    ("text", "known", "place"),
    [
        ("0.10", "0.0 0.1 0.9", 1),
        ("0.00", "0.0 0.1 0.9", 0),
        ("3", "inf 3.0 1.5", 1),
        ("inf", "inf 3.0 1.5", 0),
        ("true", "True False", 0),
        ("False", "True False", 1),
        ("c05", "c100 c05 c50", 1),
        ("c5", "c100 c05 c50", -1),
        ("10-10-10", "1-10-10 10-10-10", 1),
        ("", "1 2", -1),
        ("nan", "inf 3.0", -1),
    ],
)
def test_conditions_are_found_however_they_are_spelled(text, known, place):
    assert model_vs_human.index_of(text, known.split()) == place


@pytest.mark.parametrize("name", WITH_CONDITIONS)
def test_the_excluded_conditions_are_known_and_have_the_control(name):
    row = SETS[name]
    assert row.conditions[0] == row.excluded[0]
    assert set(row.excluded) < set(row.conditions)
    assert set(row.included) == set(row.conditions) - set(row.excluded)


def test_of_equal_counts_a_condition_too_few_is_named(tmp_path):
    files = published("contrast")
    place = next(place for place in files if "_c15_airplane" in place)
    files[place.replace("_c15_", "_c10_")] = files.pop(place)
    message = refusal(tmp_path, "contrast", files)
    assert "not 160 in the condition c15: 159, c10: 161" in message
    assert "not 80 images" not in message


def test_an_absent_image_an_absent_condition_and_a_category_are_named(tmp_path):
    files = published("contrast")
    del files[next(place for place in files if "_c15_oven" in place)]
    message = refusal(tmp_path / "image", "contrast", files)
    assert "got 1279 images of 16 classes, expected 1280" in message
    assert "not 80 images in oven: 79" in message and "c15: 159" in message
    fewer = {place: data for place, data in published("rotation").items()}
    fewer = {place: data for place, data in fewer.items() if "_180_" not in place}
    message = refusal(tmp_path / "condition", "rotation", fewer)
    assert "not 320 in the condition 180: 0;" in message
    fewer = {p: d for p, d in published("colour").items() if "_oven_" not in p}
    message = refusal(tmp_path / "category", "colour", fewer)
    assert "no images of oven" in message


def test_an_unknown_condition_is_refused_with_those_that_are_known(tmp_path):
    files = published("eidolonII")
    wrong = "dnn/session-1/0001_x_dnn_1-10-10_airplane_10_n02690373_0.png"
    message = refusal(tmp_path, "eidolonII", files | {wrong: PICTURE})
    assert wrong.rpartition("/")[2] in message
    assert "one of the conditions 1-3-10, 2-3-10, 4-3-10" in message


@pytest.mark.parametrize(
    "name",
    [
        "0001_cop_dnn_c100_plane_10_n02690373_0.png",
        "0001_cop_dnn_airplane_c100_10_n02690373_0.png",
        "airplane1.png",
    ],
)
def test_a_misnamed_file_is_refused_with_the_form(tmp_path, name):
    files = published("contrast") | {f"dnn/session-1/{name}": PICTURE}
    message = refusal(tmp_path, "contrast", files)
    assert name in message and "<trial>_<set>_dnn_<condition>_<category>" in message


@pytest.mark.parametrize("place", ["planes/a.png", "n02690373/a.png"])
def test_a_folder_that_is_no_category_is_refused(tmp_path, place):
    files = trees.files(trees.plain_categories()) | {place: PICTURE}
    message = refusal(tmp_path, "edge", files)
    assert place in message and "expected <category>/<image>" in message


def test_a_file_in_two_categories_is_refused(tmp_path):
    files = trees.files(trees.plain_categories())
    files["bear/airplane1.png"] = PICTURE
    write(tmp_path, "edge", files)
    row = trees.any_size("model_vs_human/edge")
    with pytest.raises(ValueError, match="airplane1.png = .*remove the copies"):
        opened(tmp_path, row)


def test_eidolons_may_have_any_code_but_one_only(tmp_path):
    files = trees.files(trees.session("eidolonI"))
    row = trees.any_size("model_vs_human/eidolonI")
    write(tmp_path / "any", "eidolonI", files)
    assert len(opened(tmp_path / "any", row)) == 128
    first = next(iter(files))
    two = {place: data for place, data in files.items() if place != first}
    two[first.replace("_x_", "_y_")] = PICTURE
    write(tmp_path / "two", "eidolonI", two)
    with pytest.raises(ValueError, match="experiments x, y, expected one code"):
        opened(tmp_path / "two", row)
    other = {place.replace("_x_", "_cop_"): data for place, data in files.items()}
    write(tmp_path / "other", "eidolonI", other)
    with pytest.raises(ValueError, match="of the set contrast, expected those of this"):
        opened(tmp_path / "other", row)


def test_a_smaller_declared_set_may_hold_fewer_conditions(tmp_path):
    files = {
        example.location: example.data
        for example in trees.session("contrast")
        if "_c100_" in example.name or "_c01_" in example.name
    }
    folder = write(tmp_path, "contrast", files)
    name = "model_vs_human/contrast"
    declare(folder, source=name, classes=16, examples=32, per_class=2)
    found = opened(tmp_path, catalog.SOURCES[name])
    assert found.declared
    places = collections.Counter(found.labels["category_condition"][:, 1].tolist())
    assert places == {0: 16, 7: 16}


def test_an_empty_session_is_told_apart_from_a_wrong_one(tmp_path):
    message = refusal(tmp_path, "contrast", {"dnn/session-1/notes.txt": b""})
    assert "got 0 images of 0 classes, expected 1280 of 16" in message


def test_a_set_is_read_from_its_archive_once_that_is_no_longer_compressed(tmp_path):
    row = trees.any_size("model_vs_human/contrast")
    (tmp_path / "contrast.tar.gz").write_bytes(b"\x1f\x8b")
    with pytest.raises(FileNotFoundError, match="contrast.tar.gz .compressed: gunzip"):
        opened(tmp_path, row)
    files = trees.files(trees.session("contrast"))
    trees.pack(tmp_path / "contrast.tar", files, "contrast")
    assert len(opened(tmp_path, row)) == 128


def test_sketches_for_people_and_those_of_imagenet_do_not_get_mixed_up(tmp_path):
    write_tree(tmp_path / "sketch", trees.files(trees.examples("imagenet_sketch")))
    with pytest.raises(FileNotFoundError, match="sketch .holds no dnn/session-1"):
        opened(tmp_path, trees.any_size("model_vs_human/sketch"))
    assert len(opened(tmp_path, trees.any_size("imagenet_sketch"))) == 6


@pytest.mark.parametrize(
    ("layout", "files", "width"),
    [
        ("plain_category_folders", {"bear/x.png": (1,), "oven/y.png": (14,)}, 1),
        (
            "category_folders",
            {"bear/bear1-car2.png": (1, 6), "oven/oven10-dog3.png": (14, 10)},
            2,
        ),
        (
            "session",
            {"dnn/session-1/0001_own_dnn_strong_bear_1_a.png": (1,)},
            1,
        ),
    ],
)
def test_any_set_of_sixteen_categories_is_a_row(tmp_path, layout, files, width):
    row = Source(
        name="own",
        folders=("own",),
        id_from="base_name",
        preprocessing="none_224",
        expected=Counts(classes=len(files), examples=len(files)),
        layout=layout,
    )
    write_tree(tmp_path / "own", dict.fromkeys(files, PICTURE))
    found = opened(tmp_path, row)
    values = found.labels[row.space]
    assert values.shape == (len(files), width)
    rows = map(tuple, values.tolist())
    assert dict(zip(found.locations, rows, strict=True)) == files


def test_a_set_of_ones_own_may_have_conditions(tmp_path):
    row = dataclasses.replace(
        trees.any_size("model_vs_human/contrast"),
        name="own",
        folders=("own",),
        conditions=("weak", "strong"),
        experiment="own",
    )
    names = ("0001_own_dnn_strong_bear_1_a.png", "0002_own_dnn_weak_oven_1_b.png")
    files = {f"dnn/session-1/{name}": PICTURE for name in names}
    write_tree(tmp_path / "own", files)
    found = opened(tmp_path, row)
    pairs = found.labels["category_condition"].tolist()
    by_name = dict(zip(found.names, pairs, strict=True))
    assert by_name == {names[0]: [1, 1], names[1]: [14, 0]}
