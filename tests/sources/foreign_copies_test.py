"""Is a TFDS copy that was renamed refused, and one that was replaced listed anew?"""

import dataclasses
import os

import pytest
import tfds_sets
import trees

from biases_jax.sources import dataset


def write(root, name, split, examples):
    records = tfds_sets.records(name, examples)
    tfds_sets.write(root, name, split, records, "array_record")


@pytest.mark.parametrize("part", ["configuration", "data set"])
def test_a_copy_in_a_renamed_folder_is_refused(tmp_path, part):
    if part == "configuration":
        source, name, other = "imagenet_v2/matched_frequency", "topimages", None
        write(tmp_path, "imagenet_v2/topimages", "test", trees.examples(source))
        folder, other = tmp_path / "imagenet_v2", "matched-frequency"
    else:
        source, name, other = "imagenet_a", "imagenet_r", "imagenet_a"
        write(tmp_path, "imagenet_r", "test", trees.examples("imagenet_r"))
        folder = tmp_path
    (folder / name).rename(folder / other)
    with pytest.raises(ValueError, match=f"got a copy of .*{name}, expected .*{other}"):
        dataset.open_source(trees.any_size(source), "", str(tmp_path))


def test_labels_of_a_copy_that_was_replaced_are_not_those_kept_of_the_old(tmp_path):
    row, examples = trees.any_size("imagenet_a"), trees.examples("imagenet_a")
    lists, found = tmp_path / "lists", []
    one, other = examples[0].location[:9], examples[-1].location[:9]
    exchanged = {one: other, other: one}  # the records' labels are the folders'
    for number in range(2):
        root = tmp_path / str(number)
        write(root, "imagenet_a", "test", examples)
        for path in (root / "imagenet_a").glob("*/*"):
            os.utime(path, (number, number))
        found.append(dataset.open_source(row, "", str(root), lists))
        examples = [
            dataclasses.replace(
                e,
                location=exchanged.get(e.location[:9], e.location[:9]) + e.location[9:],
            )
            for e in examples
        ]
    assert found[0].sha256("imagenet") != found[1].sha256("imagenet")
