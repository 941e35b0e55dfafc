import logging

import numpy as np
import pytest
from sources.source_files import declare, encode, opened, pictures, source, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset

CLASSES = (0, 1, 2, 10, 100)
LAYOUTS = {
    "integers": [str(i) for i in CLASSES],
    "padded": [f"{i:04d}" for i in CLASSES],
    "wnids": [labels.WNIDS[i] for i in CLASSES],
}
NO_TFDS = source(copies=())


def solid(index: int) -> bytes:
    """A picture whose colour tells its class."""
    return encode(np.full((8, 8, 3), index, np.uint8), "PNG")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_labels_follow_the_folder_names_in_every_layout(tmp_path, layout):
    folders = dict(zip(CLASSES, LAYOUTS[layout], strict=True))
    write_tree(tmp_path, {f"{f}/picture_{i}.png": solid(i) for i, f in folders.items()})
    found = dataset.open_source(NO_TFDS, str(tmp_path), "")
    by_name = dict(zip(found.names, found.labels["imagenet"][:, 0], strict=True))
    assert by_name == {f"picture_{i}.png": i for i in CLASSES}
    for index, label in enumerate(found.labels["imagenet"][:, 0]):
        assert found.encoded(index) == solid(label)
    assert found.labels["imagenet"].dtype == np.int32


def test_a_missing_class_of_the_1000_is_named(tmp_path):
    pixel = solid(0)
    write_tree(
        tmp_path,
        {f"{w}/{w}.png": pixel for w in labels.WNIDS if w != "n02099601"},
    )
    complete = source(copies=(), expected=catalog.Counts(1000, 1000, per_class=1))
    with pytest.raises(ValueError) as error:
        dataset.open_source(complete, str(tmp_path), "")
    message = str(error.value)
    assert "got 999 images of 999 classes, expected 1000 of 1000" in message
    assert "no images of n02099601 (golden retriever, class 207)" in message
    write_tree(tmp_path, {"n02099601/n02099601.png": pixel})
    assert len(dataset.open_source(complete, str(tmp_path), "")) == 1000


def test_imagenets_own_row_demands_1000_classes_of_50(tmp_path):
    write_tree(tmp_path, pictures(5))
    with pytest.raises(ValueError, match="expected 50000 of 1000.*and 987 more") as e:
        dataset.open_source(catalog.SOURCES["imagenet"], str(tmp_path), "")
    assert "not 50 images in n01440764 (tench, class 0): 1" in str(e.value)


def test_a_declaration_at_the_root_replaces_the_expected_counts(tmp_path):
    write_tree(tmp_path, pictures(7))
    imagenet = catalog.SOURCES["imagenet"]
    declare(tmp_path, source="imagenet", classes=5, examples=7)
    assert len(dataset.open_source(imagenet, str(tmp_path), "")) == 7
    declare(tmp_path, source="imagenet", classes=5, examples=8)
    with pytest.raises(ValueError, match="got 7 images of 5 classes, expected 8 of 5"):
        dataset.open_source(imagenet, str(tmp_path), "")
    declare(tmp_path, source="imagenet", classes=4, examples=7)
    with pytest.raises(ValueError, match="expected 7 of 4"):
        dataset.open_source(imagenet, str(tmp_path), "")
    declare(tmp_path, source="imagenet", classes=5, examples=7, per_class=2)
    with pytest.raises(ValueError, match="not 2 images in .*class 2.: 1.*class 10"):
        dataset.open_source(imagenet, str(tmp_path), "")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "expected a JSON object"),
        ('{"source": "imagenet", "classes": "5", "examples": 7}', "classes = '5'"),
        ('{"source": "imagenet", "classes": 5}', "examples = None"),
        ('{"classes": 5, "examples": 7}', "source = None"),
        (
            '{"source": "imagenet", "classes": 5, "examples": 5, "per_class": "1"}',
            "per_class = '1'",
        ),
        ("\udcff", "not JSON"),  # no UTF-8
    ],
)
def test_a_declaration_that_cannot_be_read_is_an_error(tmp_path, text, message):
    write_tree(
        tmp_path, pictures(5) | {"dataset.json": text.encode(errors="surrogateescape")}
    )
    with pytest.raises(ValueError, match=f"dataset.json.*{message}"):
        dataset.open_source(source(), str(tmp_path), "")


def test_the_order_is_that_of_the_ids_whatever_the_tree_is_called(tmp_path):
    files = pictures(20)
    first = opened(tmp_path / "a", files)
    assert np.all(np.diff(labels.packed_ids(first.ids).astype(object)) > 0)
    integers = {
        f"{labels.index_of(location[:9])}/{location[10:]}": files[location]
        for location in reversed(files)
    }
    second = opened(tmp_path / "b", integers)
    assert second.names == first.names and second.order == first.order
    assert second.sha256("imagenet") == first.sha256("imagenet")


def test_the_hash_notices_a_changed_label_and_a_changed_name(tmp_path):
    files = pictures(6)
    reference = opened(tmp_path / "a", files)
    location, data = files.popitem()
    moved = opened(tmp_path / "b", files | {"n01443537/" + location[10:]: data})
    renamed = opened(tmp_path / "c", files | {location[:10] + "other.JPEG": data})
    assert len({d.sha256("imagenet") for d in (reference, moved, renamed)}) == 3
    assert moved.order == reference.order != renamed.order


def test_one_name_in_two_classes_is_an_error_that_names_both(tmp_path):
    picture = solid(1)
    files = {"0/same.png": picture, "1/same.png": picture, "1/other.png": picture}
    with pytest.raises(ValueError, match=r"0/same.png = 1/same.png.*remove the copies"):
        opened(tmp_path, files)


def test_the_class_is_part_of_the_name_where_a_set_needs_it(tmp_path):
    write_tree(tmp_path, {"0/same.png": solid(0), "1/same.png": solid(1)})
    row = source(copies=(), id_from="class_and_base_name")
    found = dataset.open_source(row, str(tmp_path), "")
    assert sorted(found.names) == ["n01440764/same.png", "n01443537/same.png"]


def test_hidden_files_are_ignored_silently_and_others_with_a_warning(tmp_path, caplog):
    extra = {
        ".DS_Store": b"",
        "n01440764/.hidden.png": b"",
        ".cache/x.png": b"",
        "README.txt": b"",
    }
    with caplog.at_level(logging.WARNING):
        assert len(opened(tmp_path / "a", pictures(5) | extra)) == 5
        assert not caplog.records
        opened(tmp_path / "b", pictures(5) | {"n01440764/notes.txt": b""})
    assert "ignored 1 files that are no images: n01440764/notes.txt" in caplog.text


def test_a_foreign_folder_in_the_tree_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="'train'.*move other folders out"):
        opened(tmp_path, pictures(5) | {"train/x.png": b""})


def test_the_tree_is_found_in_each_of_its_places(tmp_path):
    for number, place in enumerate(catalog.SOURCES["imagenet"].folders):
        root = tmp_path / str(number) / place
        write_tree(root, pictures(5))
        # Beside it, as beside a published one, lies something else.
        (tmp_path / str(number) / "other").mkdir()
        data_dir = str(tmp_path / str(number))
        if place == "":
            (tmp_path / str(number) / "other").rmdir()
        assert len(dataset.open_source(source(), data_dir, "")) == 5


def test_an_absent_source_is_an_error_that_lists_all_that_was_tried(tmp_path):
    (tmp_path / "data" / "val").mkdir(parents=True)
    declare(tmp_path / "data", source="imagenet_a", classes=1, examples=1)
    tfds_dir = str(tmp_path / "tfds")
    with pytest.raises(FileNotFoundError) as error:
        dataset.open_source(source(), str(tmp_path / "data"), tfds_dir)
    message = str(error.value)
    for part in (
        f"{tmp_path}/data/imagenet/val (no such folder)",
        f"{tmp_path}/data/val (holds no class folder)",
        f"{tmp_path}/data (its dataset.json says source 'imagenet_a')",
        f"{tfds_dir}/imagenet2012/<version>/dataset_info.json",
        "<root>/<class>/<image>",
    ):
        assert part in message
    with pytest.raises(FileNotFoundError, match="no --config.data_dir was given"):
        dataset.open_source(source(), "", tfds_dir)
