"""Do all published forms of a set give the same examples, with the right labels?"""

import json
import pathlib

import numpy as np
import pytest
import tfds_sets
import trees
from sources.source_files import write_tree

from biases_jax.sources import catalog, dataset, loader

# Several labels, one, or none; in the order of the files' numbers.
REAL = [[65], [], [230, 231, 232], [809], [], [57, 58], [334], [], [674], [332]]
# A row of each kind in the catalogue.
SOURCES = (
    "imagenet",
    "imagenet_v2/matched_frequency",
    "imagenet_v2/threshold_0.7",
    "imagenet_v2/top_images",
    "imagenet_a",
    "imagenet_r",
    "imagenet_sketch",
    "stylized_imagenet",
    "model_vs_human/edge",
    "model_vs_human/contrast",
    "model_vs_human/uniform-noise",
    "model_vs_human/eidolonI",
    "model_vs_human/stylized",
    "cue_conflict",
    "frequency_cue_conflict",
    "imagenet_c/fog/3",
    "imagenet_cbar/cocentric_sine_waves/5",
)
NUMBERABLE = [s for s in SOURCES if catalog.SOURCES[s].layout == "class_folders"]
COPIES = [(s, c) for s in SOURCES for c in catalog.SOURCES[s].copies]


def by_name(found: dataset.Dataset, space: str) -> dict[str, tuple[int, ...]]:
    rows = found.labels[space].tolist()
    return dict(zip(found.names, map(tuple, rows), strict=True))


def expect_all(found: dataset.Dataset, examples: list[trees.Example]) -> None:
    """Demand the examples, each with its identity, labels and bytes."""
    space = found.source.space
    assert by_name(found, space) == {e.name: e.labels for e in examples}
    data = {example.name: example.data for example in examples}
    for index, name in enumerate(found.names):
        assert found.reader.read(index) == (name, data[name])


def pixels(found: dataset.Dataset) -> dict[str, np.ndarray]:
    reader = loader.Loader(found, 0)
    (batch,) = reader.batches([(0, len(found))], len(found))
    assert not reader.corrupt
    return dict(zip(found.names, batch.batch["image"], strict=True))


def expect_equal(one: dataset.Dataset, other: dataset.Dataset) -> None:
    """Demand equal hashes, and equal pixels for equal names."""
    space = one.source.space
    assert one.sha256(space) == other.sha256(space)
    expected = pixels(one)
    for name, image in pixels(other).items():
        np.testing.assert_array_equal(image, expected[name])


@pytest.mark.parametrize("source", SOURCES)
def test_a_tree_has_its_labels_in_each_of_its_places(tmp_path, source):
    row, examples = trees.any_size(source), trees.examples(source)
    for number, folder in enumerate(row.folders):
        data_dir = tmp_path / str(number)
        write_tree(data_dir / folder, trees.files(examples))
        expect_all(dataset.open_source(row, str(data_dir), str(tmp_path)), examples)


@pytest.mark.parametrize("kind", ["integers", "padded", "wnids"])
@pytest.mark.parametrize("source", NUMBERABLE)
def test_class_folders_of_every_kind_are_the_same_set(tmp_path, source, kind):
    row, examples = trees.any_size(source), trees.examples(source)
    tree = trees.files(examples, kind)
    write_tree(tmp_path / "unpacked" / row.folders[0], tree)
    trees.pack(tmp_path / "packed" / f"{row.folders[0]}.tar", tree)
    write_tree(tmp_path / "wnids" / row.folders[0], trees.files(examples))
    reference = dataset.open_source(row, str(tmp_path / "wnids"), str(tmp_path))
    for folder in ("unpacked", "packed"):
        found = dataset.open_source(row, str(tmp_path / folder), str(tmp_path))
        expect_all(found, examples)
        expect_equal(found, reference)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("top", ["", "./some/folder"])
def test_an_archive_counts_as_the_tree_in_it(tmp_path, source, top):
    row, examples = trees.any_size(source), trees.examples(source)
    tree = trees.files(examples, "padded" if source in NUMBERABLE else "wnids")
    trees.pack(tmp_path / "a" / f"{row.folders[0]}.tar", tree, top)
    write_tree(tmp_path / "b" / row.folders[0], tree)
    packed = dataset.open_source(row, str(tmp_path / "a"), str(tmp_path))
    expect_all(packed, examples)
    expect_equal(packed, dataset.open_source(row, str(tmp_path / "b"), str(tmp_path)))


@pytest.mark.parametrize("source", ["imagenet_c/fog/3", "imagenet_cbar/sparkles/1"])
def test_every_published_archive_of_corruptions_is_looked_into(tmp_path, source):
    row, examples = trees.any_size(source), trees.examples(source)
    assert row.archives
    for number, (archive, inside) in enumerate(row.archives):
        content = {
            f"{place}/{location}": data
            for place in ("frost/3", "fog/2", "smog/3", inside)
            for location, data in trees.files(examples).items()
        }
        trees.pack(tmp_path / str(number) / archive, content)
        data_dir = str(tmp_path / str(number))
        found = dataset.open_source(row, data_dir, str(tmp_path))
        assert found.reader.files.where.endswith(inside)
        expect_all(found, examples)


@pytest.mark.parametrize("archive", [a for a, _ in trees.any_size("imagenet").archives])
def test_the_validation_archive_without_folders_is_labelled_by_number(
    tmp_path, archive
):
    row, examples = trees.any_size("imagenet"), trees.examples("imagenet")
    flat = {example.name: example.data for example in examples}
    trees.pack(tmp_path / "a" / archive, flat)
    write_tree(tmp_path / "b" / "val", flat | {"meta.bin": b""})
    write_tree(tmp_path / "c" / "val", trees.files(examples))
    sorted_by_class = dataset.open_source(row, str(tmp_path / "c"), str(tmp_path))
    for folder in ("a", "b"):
        found = dataset.open_source(row, str(tmp_path / folder), str(tmp_path))
        expect_all(found, examples)
        expect_equal(found, sorted_by_class)


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """Return what gives the root of a copy, prepared at the first request."""
    roots = {}

    def prepared(copy, file_format):
        key = copy, file_format
        if key not in roots:
            roots[key] = tmp_path_factory.mktemp(file_format)
            (source,) = [s for s, c in COPIES if c == copy]
            records = tfds_sets.records(copy.name, trees.examples(source), REAL)
            tfds_sets.write(roots[key], copy.name, copy.split, records, file_format)
        return str(roots[key])

    return prepared


@pytest.mark.parametrize("file_format", ["array_record", "tfrecord"])
@pytest.mark.parametrize("source,copy", COPIES, ids=[c.name for _, c in COPIES])
def test_a_tfds_copy_gives_what_the_tree_gives(
    copies, tmp_path, source, copy, file_format
):
    examples = trees.examples(source)
    row = trees.any_size(source, copies=(copy,))
    root = copies(copy, file_format)
    found = dataset.open_source(row, "", root)
    expect_all(found, examples)
    write_tree(tmp_path / row.folders[0], trees.files(examples))
    expect_equal(found, dataset.open_source(row, str(tmp_path), root))


def test_real_labels_of_a_copy_are_those_of_the_file(copies, tmp_path):
    row = trees.any_size("imagenet")
    root = copies(row.copies[0], "array_record")
    copy = dataset.open_source(row, "", root, tmp_path / "kept")
    write_tree(tmp_path / "val", trees.files(trees.examples("imagenet")))
    (tmp_path / "real.json").write_text(json.dumps(REAL))
    tree = dataset.open_source(row, str(tmp_path), str(tmp_path))
    assert by_name(tree, "real")["ILSVRC2012_val_00000003.JPEG"] == (230, 231, 232)
    assert by_name(tree, "real")["ILSVRC2012_val_00000006.JPEG"] == (57, 58, -1)
    assert by_name(tree, "real") == by_name(copy, "real")
    assert tree.sha256("real") == copy.sha256("real")
    # And again from the list that was kept of the copy.
    kept = dataset.open_source(row, "", root, tmp_path / "kept")
    assert kept.sha256("real") == copy.sha256("real")


def test_a_copy_with_classes_in_another_order_is_refused(copies):
    row = trees.any_size("imagenet_a")
    root = copies(row.copies[0], "array_record")
    (names,) = pathlib.Path(root).glob("imagenet_a/*/label.labels.txt")
    published = names.read_text()
    names.write_text("\n".join(sorted(published.split(), reverse=True)))
    try:
        with pytest.raises(
            ValueError, match="got classes .'n1.*of the feature 'label'"
        ):
            dataset.open_source(row, "", root)
    finally:
        names.write_text(published)
