"""Are the drawn sets what the published ones are, to the project's own readers?"""

import json

import numpy as np
import pytest
from etils import epath
from miniature.reading import examined, opened

from biases_jax import labels
from biases_jax.miniature import (
    classes,
    corrupted_sets,
    model_vs_human,
    sets,
    trees,
    visibility,
    world,
)
from biases_jax.sources import catalog, preprocess, validation

PER_CLASS = 2
ROWS = {row.source: row for row in sets.catalogue(PER_CLASS, 1)}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = epath.Path(tmp_path_factory.mktemp("world"))
    trees.write(folder, PER_CLASS, only=tuple(ROWS))
    return folder


def redrawn(row, items):
    """Return the pictures of items, from the world alone."""
    seed = sets.seed_of(row.stream, 0)
    indices, kinds, cues = (
        np.array([getattr(item, field) for item in items])
        for field in ("index", "kind", "cue")
    )
    return world.draw(seed, indices, row.settings, row.side, kinds, cues)


def test_every_source_is_drawn_once_but_those_that_tfds_made():
    made = [
        *sets.catalogue(1, 1),
        *corrupted_sets.made_of(ROWS["imagenet"]),
        *model_vs_human.computed(1, 1, 2),
    ]
    rest = [name for name in catalog.SOURCES if "imagenet_c_tfds" not in name]
    assert sorted(row.source for row in made) == sorted(rest)


@pytest.mark.parametrize("source", ROWS)
def test_a_source_opens_with_the_labels_of_what_was_drawn(root, source):
    data, row = opened(root, source), ROWS[source]
    items = {item.path: item for item in row.items}
    assert set(data.locations) == set(items)
    for location, values in zip(
        data.locations, data.labels[data.source.space].tolist(), strict=True
    ):
        item = items[location]
        space = classes.INDICES if data.source.space == "imagenet" else range(16)
        wanted = [space[item.kind]]
        if source == "cue_conflict":
            wanted.append(item.cue)
        assert values == wanted
    counts = data.reader.expected
    assert counts.examples == len(items)
    assert counts.classes == len({item.kind for item in row.items})


@pytest.mark.parametrize("source", ROWS)
def test_the_doctor_finds_nothing(root, source):
    found = examined(root, source)
    assert not found.findings
    assert found.decoded == len(ROWS[source].items)


@pytest.mark.parametrize("source", ["stylized_imagenet", "cue_conflict"])
def test_a_png_is_the_picture_of_its_kind_and_cue(root, source):
    row = ROWS[source]
    data = opened(root, source)
    place = {location: i for i, location in enumerate(data.locations)}
    items = row.items[5:37:4]
    for item, picture in zip(items, redrawn(row, items).images, strict=True):
        decoded = preprocess.decode(data.encoded(place[item.path]), data.preprocessing)
        # Its place in the chunk may round the last bit otherwise.
        assert abs(decoded.astype(int) - picture).max() <= 1


@pytest.mark.parametrize("source", ["imagenet", "imagenet_a", "imagenet_sketch"])
def test_a_jpeg_is_about_the_middle_of_the_picture(root, source):
    row = ROWS[source]
    data = opened(root, source)
    place = {location: i for i, location in enumerate(data.locations)}
    items = row.items[:4]
    for item, picture in zip(items, redrawn(row, items).images, strict=True):
        decoded = preprocess.decode(data.encoded(place[item.path]), data.preprocessing)
        middle = picture[16:-16, 16:-16].astype(float)
        assert abs(decoded - middle).mean() < 6  # of 255: quality 95, colours halved
        assert np.corrcoef(decoded.ravel(), middle.ravel())[0, 1] > 0.98


def test_validation_numbers_prove_the_labels(root):
    for source in ("imagenet", "stylized_imagenet"):
        data = opened(root, source)
        published = validation.classes()[validation.numbers(data.names) - 1]
        assert np.array_equal(published, data.labels["imagenet"][:, 0])


def test_stylised_images_show_the_objects_of_their_numbers(root):
    natural, stylised = ROWS["imagenet"], ROWS["stylized_imagenet"]
    assert [i[1:] for i in natural.items] == [i[1:] for i in stylised.items]
    indices, kinds = np.array([item[1:3] for item in natural.items]).T
    masks = [
        visibility.seen(sets.seed_of(r.stream, 0), indices, kinds, r.settings)[0]
        for r in (natural, stylised)
    ]
    assert np.array_equal(*masks)


def test_cue_conflict_has_every_pair_of_different_categories_once(root):
    pairs = opened(root, "cue_conflict").labels["shape_texture"].tolist()
    assert sorted(pairs) == [[i, j] for i in range(16) for j in range(16) if i != j]
    names = opened(root, "cue_conflict").names
    assert "airplane1-bicycle1.png" in names


def test_a_and_r_hold_the_kinds_that_lie_in_their_lists(root):
    for source, published in (
        ("imagenet_a", labels.IMAGENET_A),
        ("imagenet_r", labels.IMAGENET_R),
    ):
        found = set(opened(root, source).labels["imagenet"][:, 0].tolist())
        assert found == set(classes.INDICES) & set(published)


def test_real_lists_are_the_classes_that_are_seen(root):
    data, row = opened(root, "imagenet"), ROWS["imagenet"]
    lists = json.loads((root / "real.json").read_text())
    assert len(lists) == validation.IMAGES
    items = {item.path: item for item in row.items}
    assert sum(map(bool, lists)) <= len(items)
    order = [items[location] for location in data.locations]
    pictures = redrawn(row, order)
    for number, item, second in zip(
        validation.numbers(data.names), order, pictures.second, strict=True
    ):
        valid = set(lists[number - 1])
        own = classes.INDICES[item.kind]
        assert not valid or own in valid
        others = {classes.INDICES[second]} if second >= 0 else set()
        assert valid - {own} <= others


def test_sets_differ_in_their_scenes():
    streams = {
        sets.seed_of(row.stream, seed) for row in ROWS.values() for seed in (0, 1)
    }
    assert len(streams) == 2 * len({row.stream for row in ROWS.values()})
