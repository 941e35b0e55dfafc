"""Is a renamed, shuffled or mistaken tree refused, rather than measured?"""

import dataclasses
import logging

import numpy as np
import pytest
import trees
from sources.identity_test import Reader
from sources.source_files import declare, encode, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset, loader, validation


def opened(tmp_path, source, files, **changes):
    """Write files at a source's place and open it."""
    row = trees.any_size(source, **changes)
    write_tree(tmp_path / row.folders[0], files)
    return dataset.open_source(row, str(tmp_path), str(tmp_path))


def renamed(source, old, new):
    """Return a source's tree with folders renamed at once."""
    wnids = dict(zip([labels.WNIDS[i] for i in old], new, strict=True))
    files = trees.files(trees.examples(source))
    return {
        f"{wnids.get(place[:9], place[:9])}{place[9:]}": data
        for place, data in files.items()
    }


@pytest.mark.parametrize(
    "source", ["imagenet", "imagenet_c/fog/3", "stylized_imagenet"]
)
@pytest.mark.parametrize("new", [(970, 65), (65, 1)], ids=["exchanged", "renamed"])
def test_a_class_folder_of_validation_images_with_anothers_name(tmp_path, source, new):
    files = renamed(source, (65, 970), [labels.WNIDS[i] for i in new])
    with pytest.raises(ValueError, match="got [12] wrong labels .ILSVRC2012_v"):
        opened(tmp_path, source, files)


def test_validation_images_sorted_into_integers_by_the_order_of_text(tmp_path):
    order = sorted(trees.FIRST.values(), key=str)
    files = renamed("imagenet", sorted(trees.FIRST.values()), map(str, order))
    with pytest.raises(ValueError, match="got 7 wrong labels.*published as"):
        opened(tmp_path, "imagenet", files)


def test_a_file_in_another_classs_folder_is_noticed(tmp_path):
    files = trees.files(trees.examples("imagenet"))
    files[f"{labels.WNIDS[970]}/ILSVRC2012_val_00000001.JPEG"] = files.pop(
        f"{labels.WNIDS[65]}/ILSVRC2012_val_00000001.JPEG"
    )
    with pytest.raises(ValueError, match="got 1 wrong labels.*00000001.JPEG as n09193"):
        opened(tmp_path, "imagenet", files)


def test_validation_images_without_their_names_cannot_be_proved(tmp_path):
    files = trees.files(trees.examples("imagenet"))
    files = {place.replace("ILSVRC2012_val_", "image"): d for place, d in files.items()}
    with pytest.raises(ValueError, match="got 10 names such as 'image0000"):
        opened(tmp_path, "imagenet", files)


def test_a_small_set_may_have_its_own_labels_but_it_is_said(tmp_path, caplog):
    files = renamed("imagenet", (65, 970), [labels.WNIDS[970], labels.WNIDS[65]])
    write_tree(tmp_path / "val", files)
    declare(tmp_path / "val", source="imagenet", classes=10, examples=10)
    row = catalog.SOURCES["imagenet"]
    with caplog.at_level(logging.WARNING):
        dataset.open_source(row, str(tmp_path), str(tmp_path))
    assert "got 2 wrong labels" in caplog.text and "declares itself" in caplog.text


@pytest.mark.parametrize("source", ["imagenet_a", "imagenet_r"])
def test_a_class_that_the_set_does_not_have_is_named(tmp_path, source):
    own = trees.examples(source)[0].labels[0]
    files = renamed(source, (own,), [labels.WNIDS[0]])
    with pytest.raises(ValueError, match="n01440764 .tench, class 0.*only the 200"):
        opened(tmp_path, source, files)


def test_classes_numbered_anew_from_0_to_199_are_not_taken_for_imagenets(tmp_path):
    examples = trees.examples("imagenet_a")
    old = sorted({example.labels[0] for example in examples})
    files = renamed("imagenet_a", old, map(str, range(len(old))))
    with pytest.raises(ValueError, match="expected only the 200 classes"):
        opened(tmp_path, "imagenet_a", files)


def test_a_renamed_class_folder_leaves_a_gap_in_the_counts(tmp_path):
    files = {
        f"{i}/{n}.jpeg": trees.picture(0, "JPEG", 8) for i in range(1000) for n in (0,)
    }
    expected = catalog.Counts(1000, 1000, 1)
    row = dataclasses.replace(
        catalog.SOURCES["imagenet_v2/top_images"], expected=expected
    )
    write_tree(tmp_path / row.folders[0], files)
    assert len(dataset.open_source(row, str(tmp_path), str(tmp_path))) == 1000
    (tmp_path / row.folders[0] / "207").rename(tmp_path / row.folders[0] / "1207")
    with pytest.raises(ValueError, match="'1207', which are none of the 1000"):
        dataset.open_source(row, str(tmp_path), str(tmp_path))
    (tmp_path / row.folders[0] / "1207").rename(tmp_path / row.folders[0] / "0206")
    with pytest.raises(ValueError, match="two folders for class 206"):
        dataset.open_source(row, str(tmp_path), str(tmp_path))
    (tmp_path / row.folders[0] / "0206").rename(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="no images of n02099601 .golden retriever"):
        dataset.open_source(row, str(tmp_path), str(tmp_path))


def test_the_whole_validation_set_is_proved_by_its_published_labels(tmp_path):
    names = tuple(f"ILSVRC2012_val_{n + 1:08d}.JPEG" for n in range(validation.IMAGES))
    published = validation.classes()
    reader = Reader(names, imagenet=published)
    found = dataset.Dataset(catalog.SOURCES["imagenet"], reader)
    # Of the published labels, whatever list they are read from.
    digest = "e97cb983e6139a49a3051458b24b0cb89452a7725fe0b9b0178fdb776eb3d5df"
    assert found.sha256("imagenet") == digest
    assert np.unique(np.bincount(published)).tolist() == [50]
    assert {n: published[n - 1] for n in trees.FIRST} == trees.FIRST
    validation.prove(names, published[:, None], False, "here")
    swapped = np.array(published)
    swapped[[0, 49_999]] = swapped[[49_999, 0]]
    with pytest.raises(ValueError, match="here: got 2 wrong labels"):
        validation.prove(names, swapped[:, None], False, "here")


def session(name):
    return {f"dnn/session-1/{name}": trees.picture(0, "PNG")}


@pytest.mark.parametrize(
    "name",
    [
        "0001_sty_dnn_0_aeroplane_10_n02690373_1.png",
        "0001_sty_dnn_0.png",
        "0001_sty_dnn_0_airplane.png",
        "airplane1.png",
        "0001_sty_dnn_airplane_0_10_n02690373_1.png",
    ],
)
def test_a_name_without_a_category_is_refused(tmp_path, name):
    files = trees.files(trees.examples("model_vs_human/stylized")) | session(name)
    with pytest.raises(ValueError, match=f"{name}.*expected <trial>_<set>_dnn_"):
        opened(tmp_path, "model_vs_human/stylized", files)


@pytest.mark.parametrize(
    "place",
    [
        "bear/airplane1-bicycle2.png",  # a renamed folder
        "bear/bear1.png",
        "bear/bear1-bike2.png",
        "bears/bear1-bicycle2.png",
        "bear/bear1-bicycle2-car3.png",
    ],
)
def test_a_cue_conflict_whose_folder_and_name_differ_is_refused(tmp_path, place):
    files = trees.files(trees.examples("cue_conflict"))
    with pytest.raises(ValueError, match=f"{place}.*expected <shape>/<shape>1-"):
        opened(tmp_path, "cue_conflict", files | {place: trees.picture(0, "PNG")})


def test_the_name_that_people_saw_has_the_same_cues(tmp_path):
    name = "0001_s5n_dnn_0_airplane_00_airplane1-bicycle2.png"
    files = {f"airplane/{name}": trees.picture(0, "PNG")}
    found = opened(tmp_path, "cue_conflict", files)
    assert found.labels["shape_texture"].tolist() == [[0, 2]]


def test_other_files_beside_the_images_are_ignored(tmp_path, caplog):
    for source in ("model_vs_human/stylized", "cue_conflict"):
        examples = trees.examples(source)
        folder = examples[0].location.rpartition("/")[0]
        files = trees.files(examples) | {f"{folder}/notes.txt": b""}
        files |= {f"{folder}/.DS_Store": b""}
        with caplog.at_level(logging.WARNING):
            assert len(opened(tmp_path, source, files)) == 16
        assert "ignored 1 files that are no images" in caplog.text


def test_a_missing_category_is_named(tmp_path):
    examples = trees.examples("cue_conflict")[1:]
    write_tree(tmp_path / "cue-conflict", trees.files(examples))
    with pytest.raises(
        ValueError, match="no images of airplane; not 80 images in bear"
    ):
        dataset.open_source(
            catalog.SOURCES["cue_conflict"], str(tmp_path), str(tmp_path)
        )


@pytest.mark.parametrize("source", ["imagenet_c/fog/3", "imagenet_cbar/sparkles/5"])
def test_corrupted_images_of_another_size_are_listed_and_none_is_resized(
    tmp_path, source
):
    board = (np.indices((224, 224)).sum(0) % 2 * 255).astype(np.uint8)
    board = np.repeat(board[..., None], 3, axis=2)
    row = trees.any_size(source)
    place = f"{labels.WNIDS[65]}/ILSVRC2012_val_00000001.JPEG"
    other = f"{labels.WNIDS[970]}/ILSVRC2012_val_00000002.JPEG"
    files = {place: encode(board, "PNG"), other: trees.picture(0, "JPEG", 256)}
    found = opened(tmp_path, source, files)
    reader = loader.Loader(found, 0)
    (batch,) = reader.batches([(0, 2)], 2)
    np.testing.assert_array_equal(
        batch.batch["image"][found.locations.index(place)], board
    )
    ((location, reason),) = reader.corrupt
    assert location == other and "got 256x256 pixels, expected 224x224" in reason
    assert row.preprocessing == "none_224"
