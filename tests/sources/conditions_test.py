"""Is each condition of an image set told, beside all others that do not hold?"""

import dataclasses

import numpy as np
import pytest
import trees
from sources.identity_test import Reader
from sources.source_files import declare, write_tree

from biases_jax.sources import catalog, conditions, dataset, locate, names, validation
from biases_jax.sources.source import Counts

TEN = Counts(classes=10, examples=10, per_class=1)


def tree(tmp_path, files, source="imagenet", expected=TEN):
    """Return a tree and what must hold of it, without a demand."""
    row = dataclasses.replace(catalog.SOURCES[source], expected=expected)
    write_tree(tmp_path / row.folders[0], files)
    reader, where, _ = locate.locate(row, str(tmp_path), str(tmp_path / "none"))
    found = dataset.Dataset(row, reader)
    return found, dataset.checks(found, where)


def told(checks):
    """Return the messages of the conditions that do not hold, by name."""
    messages = {}
    for name, check in checks.items():
        try:
            check()
        except ValueError as error:
            messages[name] = str(error)
    return messages


def validation_images():
    return trees.files(trees.validation("JPEG", 40))


def test_a_stray_folder_is_told_with_its_place_and_hides_nothing_else(tmp_path):
    files = validation_images()
    gone = next(place for place in files if "00000004" in place)
    del files[gone]
    found, checks = tree(tmp_path, {**files, "__MACOSX/x.JPEG": b"x"})
    messages = told(checks)
    assert set(messages) == {"tree", "counts"}
    assert messages["tree"].startswith(f"{tmp_path}/imagenet/val: got class folders")
    assert "'__MACOSX'" in messages["tree"] and "got 9 images" in messages["counts"]
    with pytest.raises(ValueError, match=f"imagenet at {tmp_path}.*'__MACOSX'"):
        dataset.open_source(found.source, str(tmp_path), str(tmp_path / "none"))


def test_a_tree_of_foreign_folders_alone_proves_nothing(tmp_path):
    found, checks = tree(tmp_path, {"n00000000/x.JPEG": b"x"})
    assert len(found) == 0 and found.proof == "not provable"
    assert "n00000000" in told(checks)["tree"]


def test_a_name_that_is_no_text_is_told_with_its_place(tmp_path):
    files = validation_images()
    folder = next(iter(files)).partition("/")[0]
    files[f"{folder}/\udcff.JPEG"] = b"x"
    found, checks = tree(tmp_path, files)
    assert len(found) == 10
    message = told(checks)["tree"]
    assert message.startswith(f"{tmp_path}/imagenet/val: got the file name")
    assert "no UTF-8" in message


@pytest.mark.parametrize("suffix", ["jpg", "jpeg"])
def test_a_validation_image_in_two_files_is_told(tmp_path, suffix):
    files = validation_images()
    place = next(place for place in files if "00000003" in place)
    twin = place.replace("JPEG", suffix)
    _, checks = tree(tmp_path, {**files, twin: trees.picture(0, "JPEG", 40)})
    assert "got 1 validation images more than once" in told(checks)["labels"]
    names_ = [f"ILSVRC2012_val_{n:08d}.JPEG" for n in range(1, validation.IMAGES + 1)]
    names_[3] = names_[2].replace("JPEG", suffix)
    published = np.array(validation.classes())[:, None]
    published[3] = published[2]
    with pytest.raises(ValueError, match="val_00000003.JPEG'.*none of number 4") as e:
        validation.prove(names_, published, False, "here")
    assert suffix in str(e.value)
    assert validation.verdict(names_, published) == validation.OTHER


@pytest.mark.parametrize("per_class", [{}, {"per_class": 1}])
def test_a_declaration_of_the_published_counts_does_not_switch_the_proof_off(
    tmp_path, per_class
):
    files = validation_images()
    one, two, *_ = files
    swapped = {one[:10] + two[10:]: files.pop(two), two[:10] + one[10:]: files.pop(one)}
    folder = tmp_path / "imagenet/val"
    folder.mkdir(parents=True)
    declare(folder, source="imagenet", classes=10, examples=10, **per_class)
    found, checks = tree(tmp_path, files | swapped)
    assert not found.declared and "got 2 wrong labels" in told(checks)["labels"]
    # A smaller set may have its own labels; what proves them is said.
    row = dataclasses.replace(found.source, expected=Counts(1000, 50_000, 50))
    found = dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))
    assert found.declared and found.proof == validation.OTHER


@pytest.mark.parametrize("count", [1, 16])
def test_sketches_are_not_taken_for_stylised_images(tmp_path, count):
    files = trees.files(trees.examples("model_vs_human/stylized"))
    moved = list(files)[:count]
    for place in moved:
        files[place.replace("_sty_", "_ske_")] = files.pop(place)
    found, checks = tree(tmp_path, files, "model_vs_human/stylized", Counts(16, 16))
    message = told(checks)["set"]
    assert f"got {count} images of another set" in message
    assert "of the set sketch, expected those of stylized" in message
    unknown = [name.replace("_ske_", "_x_") for name in found.names]
    names.check_experiment(unknown, "sty", "here")


def test_what_proves_labels_is_said_of_every_kind_of_set(tmp_path):
    proofs = {}
    for source in ("imagenet", "imagenet_a", "cue_conflict", "model_vs_human/stylized"):
        examples = trees.examples(source)
        space = catalog.SOURCES[source].space
        values = {space: np.array([e.labels for e in examples], np.int32)}
        reader = Reader(tuple(e.name for e in examples))
        proofs[source] = conditions.proof(catalog.SOURCES[source], reader, values)
    assert proofs == {
        "imagenet": "proved",
        "imagenet_a": "not provable",
        "cue_conflict": "by name",
        "model_vs_human/stylized": "by name",
    }


def test_loose_images_are_kept_apart_and_a_readme_is_no_fault(tmp_path):
    files = validation_images()
    loose = f"ILSVRC2012_val_{11:08d}.JPEG"
    found, checks = tree(tmp_path, {**files, loose: b"x", "README.txt": b""})
    assert found.reader.loose == (loose,) and found.reader.others == ()
    assert told(checks) == {}
