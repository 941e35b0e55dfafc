"""Is what was made from ImageNet's photographs never taken for them?"""

import dataclasses

import pytest
import trees
from sources.source_files import declare, write_tree

from biases_jax import labels
from biases_jax.sources import catalog, dataset, originals, validation
from biases_jax.sources.source import Counts

MANY = originals.LOOKED + 8


def photographs(sides, suffix="JPEG"):
    """Return validation images in their published class folders, of these sizes."""
    kind = "PNG" if suffix == "png" else "JPEG"
    files = {side: trees.picture(side, kind, side) for side in set(sides)}
    wnids = [labels.WNIDS[index] for index in validation.classes()[: len(sides)]]
    return {
        f"{wnids[n]}/ILSVRC2012_val_{n + 1:08d}.{suffix}": files[side]
        for n, side in enumerate(sides)
    }


def opened(tmp_path, files, source="imagenet", place=""):
    row = trees.any_size(source)
    write_tree(tmp_path / place, files)
    return dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))


def test_a_cell_of_corrupted_images_is_not_taken_for_the_photographs(tmp_path):
    files = photographs([224] * MANY)
    with pytest.raises(ValueError, match="imagenet at .*got 224x224 pixels in all of"):
        opened(tmp_path, files)
    place = "imagenet-c/fog/3"
    assert len(opened(tmp_path, files, "imagenet_c/fog/3", place)) == MANY


@pytest.mark.parametrize("place", ["val", "imagenet/val", ""])
def test_stylised_images_are_not_taken_for_the_photographs(tmp_path, place):
    with pytest.raises(ValueError, match="3 files such as 'ILSVRC2012_val_0.*png'"):
        opened(tmp_path, photographs([224] * 3, "png"), place=place)


def test_photographs_of_many_sizes_are_read_and_few_are_looked_at(tmp_path):
    files = photographs([40 + n % 3 for n in range(MANY)])
    assert len(opened(tmp_path, files)) == MANY
    asked = []
    names = [place.rpartition("/")[2] for place in files]
    data = list(files.values())
    originals.check(names, lambda i: asked.append(i) or data[i], "here")
    assert len(asked) == 2


def test_one_odd_size_is_enough_and_damaged_files_decide_nothing():
    names = [f"ILSVRC2012_val_{n:08d}.JPEG" for n in range(1, MANY + 1)]
    data = [trees.picture(0, "JPEG", 224)] * MANY
    originals.check(
        names, lambda i: trees.picture(0, "JPEG", 8) if i == 0 else data[i], ""
    )
    originals.check(names, lambda i: b"" if i == 0 else data[i], "")
    with pytest.raises(ValueError, match="expected ImageNet's own photographs"):
        originals.check(names, data.__getitem__, "")


def test_a_small_set_of_ones_own_may_have_one_size_and_any_form(tmp_path):
    for suffix in ("JPEG", "png"):
        folder = tmp_path / suffix
        write_tree(folder / "val", photographs([224] * MANY, suffix))
        classes = len({int(c) for c in validation.classes()[:MANY]})
        declare(folder / "val", source="imagenet", classes=classes, examples=MANY)
        row = catalog.SOURCES["imagenet"]
        assert len(dataset.open_source(row, str(folder), str(folder))) == MANY


def test_a_declaration_of_the_published_counts_changes_nothing(tmp_path):
    files = photographs([40 + n for n in range(10)])
    row = trees.any_size("imagenet")
    row = dataclasses.replace(row, expected=Counts(10, 10, 1))
    write_tree(tmp_path / "val", files)
    declare(tmp_path / "val", source="imagenet", classes=10, examples=10)
    found = dataset.open_source(row, str(tmp_path), str(tmp_path))
    assert not found.declared and found.reader.expected == row.expected
    assert found.proof == "proved"
