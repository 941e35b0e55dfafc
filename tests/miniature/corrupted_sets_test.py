"""Are the corrupted sets what ImageNet-C's files are, of the drawn images?"""

import functools
import io
import zlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from etils import epath
from miniature.reading import examined, opened
from PIL import Image

from biases_jax import benchmarks, corruptions, labels, stimuli
from biases_jax.corruptions import frost_textures
from biases_jax.doctor import variant
from biases_jax.miniature import corrupted_sets, sets, trees, world
from biases_jax.miniature.settings import NATURAL
from biases_jax.sources import catalog, preprocess

PER_CLASS = 2
NOISE = "imagenet_c/gaussian_noise/5"
CELLS = (
    *(NOISE, "imagenet_c/gaussian_noise/1", "imagenet_c/contrast/5"),
    "imagenet_cbar/cocentric_sine_waves/3",
)
CLEAN = sets.catalogue(PER_CLASS, 1)[0]
ROWS = {row.source: row for row in corrupted_sets.made_of(CLEAN)}


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = epath.Path(tmp_path_factory.mktemp("corrupted"))
    trees.write(folder, PER_CLASS, only=("imagenet", *CELLS))
    return folder


@functools.cache
def drawn(seed):
    """Return the validation images, drawn together as for their files."""
    indices = np.arange(len(CLEAN.items))
    return world.draw(sets.seed_of("imagenet", seed), indices, NATURAL, 256).images


def clean(seed, item):
    """Return a validation image as networks see it, from the world alone."""
    file = io.BytesIO()
    Image.fromarray(drawn(seed)[item.index]).save(file, "JPEG", quality=95)
    return np.asarray(Image.open(file))[16:-16, 16:-16]


def corrupted(source, seed, item, picture):
    """Return the picture by the public function, with the key that the module states.

    In one program, the severity compiled in.
    """
    _, name, severity = source.split("/")
    key = jax.random.key(sets.seed_of(source, seed), impl="threefry2x32")
    corrupt = jax.jit(corruptions.get(name, int(severity)))
    return np.asarray(corrupt(jax.random.fold_in(key, item.index), picture))


def likeness(a, b):
    return np.corrcoef(a.ravel(), b.ravel())[0, 1]


@pytest.mark.parametrize("source", CELLS)
def test_a_set_has_the_names_and_labels_of_the_clean_one(root, source):
    data, original = opened(root, source), opened(root, "imagenet")
    assert data.names == original.names
    assert np.array_equal(data.ids, original.ids)
    assert data.locations == original.locations
    assert np.array_equal(data.labels["imagenet"], original.labels["imagenet"])
    assert data.declared and data.drawn


@pytest.mark.parametrize("source", CELLS)
def test_the_doctor_finds_nothing_and_files_are_as_published(root, source):
    found = examined(root, source)
    assert not found.findings
    assert found.decoded == len(CLEAN.items)
    data = opened(root, source)
    assert {variant.kind(data.encoded(i)) for i in range(len(data))} == {""}


@pytest.mark.parametrize(("source", "seed"), [*((c, 0) for c in CELLS), (NOISE, 1)])
def test_an_image_is_the_corrupted_clean_one_by_the_key_that_is_stated(source, seed):
    row = ROWS[source]
    item = row.items[17]
    (found,) = row.render(row, [item], seed)
    expected = corrupted(source, seed, item, clean(seed, item))
    # Two programs may round a sum otherwise, of which then another byte is cut off.
    away = abs(found.astype(int) - expected)
    assert away.max() <= 1 and (away > 0).mean() < 1e-3


@pytest.mark.parametrize("source", CELLS)
def test_files_do_not_depend_on_what_is_made_together(tmp_path, root, source):
    row = ROWS[source]
    files = root / row.folder
    some = [row.items[i] for i in (20, 3, 31)]
    for item, picture in zip(some, row.render(row, some, 0), strict=True):
        file = io.BytesIO()
        Image.fromarray(picture).save(file, "JPEG", quality=85)
        assert (files / item.path).read_bytes() == file.getvalue()
    trees.write(epath.Path(tmp_path), 1, only=(source,))
    again = sorted((tmp_path / row.folder).rglob("*.JPEG"))
    assert len(again) == 16
    for path in again:
        place = path.relative_to(tmp_path)
        assert path.read_bytes() == (root / place).read_bytes()


def test_they_are_made_of_the_files_of_the_clean_set(root):
    data = opened(root, "imagenet")
    for item in CLEAN.items[:3]:
        at = data.locations.index(item.path)
        decoded = preprocess.decode(data.encoded(at), data.preprocessing)
        stream = sets.seed_of(CLEAN.stream, 0)
        chunk = corrupted_sets._clean(stream, CLEAN.settings, CLEAN.side, 0)
        assert np.array_equal(chunk[item.index], decoded)


def test_draws_are_neither_those_of_the_benchmark_nor_of_another_severity():
    """Else the parity of files and benchmark would hold of any corruption."""
    item = CLEAN.items[0]
    picture = clean(0, item)
    ours = {
        source: ROWS[source].render(ROWS[source], [item], 0)[0] - 1.0 * picture
        for source in CELLS[:2]
    }
    (made,) = benchmarks.select(("imagenet_c_jax/gaussian_noise/5",))
    (name,) = labels.example_ids([item.path.rpartition("/")[2]])
    stream = jnp.uint32(zlib.crc32(made.stream.encode()))
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    own = stimuli.example_key(key, stream, jnp.asarray(name))
    theirs = np.asarray(made.transform.corruption(own, picture)) - 1.0 * picture
    # Only what is cut off at black and white is alike.
    assert abs(likeness(ours[NOISE], theirs)) < 0.1
    assert abs(likeness(*ours.values())) < 0.1
    assert np.std(ours[NOISE]) == pytest.approx(np.std(theirs), rel=0.05)


def test_severities_share_one_program():
    parts = [
        corrupted_sets.compiled_part(corrupted_sets.corruption(source))
        for source in CELLS[:2]
    ]
    assert corrupted_sets._programs(parts[0]) is corrupted_sets._programs(parts[1])


def test_each_cell_of_the_grids_lies_where_it_is_looked_for_first():
    families = ("imagenet_c/", "imagenet_cbar/")
    wanted = [name for name in catalog.SOURCES if name.startswith(families)]
    assert sorted(ROWS) == sorted(wanted) and len(ROWS) == 145
    assert ROWS["imagenet_c/fog/3"].folder == "imagenet-c/fog/3"
    assert ROWS["imagenet_cbar/sparkles/1"].folder == "imagenet-c-bar/sparkles/1"


def test_without_its_photographs_frost_is_left_out_and_that_is_said(
    tmp_path, caplog, monkeypatch
):
    monkeypatch.setattr(frost_textures, "find", lambda: "synthetic-v1")
    caplog.set_level("WARNING", logger="absl")
    trees.write(epath.Path(tmp_path), 1, only=("imagenet_c/frost/*",))
    assert not (tmp_path / "imagenet-c").exists()
    assert "not drawn: imagenet_c/frost/1, imagenet_c/frost/2" in caplog.text
    assert "pip install" in caplog.text


def test_frost_is_of_photographs_where_they_are_at_hand(monkeypatch):
    frost = [ROWS[f"imagenet_c/frost/{severity}"] for severity in (1, 5)]
    monkeypatch.setattr(frost_textures, "find", lambda: frost_textures.PUBLISHED)
    assert corrupted_sets.possible(frost) == frost
    textures = {corrupted_sets.corruption(row.source).textures for row in frost}
    assert textures == {frost_textures.PUBLISHED}


@pytest.mark.slow
def test_every_cell_can_be_made():
    rows = corrupted_sets.possible(list(ROWS.values()))
    assert len(rows) >= 140
    picture = clean(0, CLEAN.items[0])
    for row in rows:
        (found,) = row.render(row, row.items[:1], 0)
        assert found.shape == picture.shape and found.dtype == np.uint8
        assert 0 < abs(found.astype(int) - picture).mean() < 128, row.source
