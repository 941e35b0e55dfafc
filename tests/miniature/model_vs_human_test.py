"""Are the computed sets laid out as published, with what was drawn in them?"""

import collections
import itertools
import json

import jax
import numpy as np
import pytest
from etils import epath
from PIL import Image

from biases_jax import benchmarks, labels
from biases_jax.config import EvaluateConfig
from biases_jax.doctor import sources as doctor
from biases_jax.miniature import manipulations as m
from biases_jax.miniature import model_vs_human, sets, trees, world
from biases_jax.miniature.degradations import DEGRADED
from biases_jax.miniature.settings import TEST
from biases_jax.sources import catalog, dataset
from biases_jax.types import Cell

SCENES, CONDITIONS = 1, 3
ROWS = {row.source: row for row in model_vs_human.computed(1, SCENES, CONDITIONS)}
IN_FOLDERS = ("edge", "silhouette")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model_vs_human")
    arguments = {"scenes": SCENES, "conditions": CONDITIONS}
    trees.write(epath.Path(folder), 1, only=tuple(ROWS), **arguments)
    return folder / "model-vs-human"


@pytest.fixture(scope="module")
def photographs():
    """Return the scenes that all conditions show."""
    stream = sets.seed_of(model_vs_human.STREAM, 0)
    return world.draw(stream, np.arange(16 * SCENES), TEST).images


def pictures(root, name):
    """Return pictures by their names' fields: condition and category."""
    found = {}
    for path in sorted((root / name / "dnn/session-1").iterdir()):
        fields = path.name.split("_")
        found[fields[3], fields[4]] = np.asarray(Image.open(path))
    return found


@pytest.mark.parametrize("name", DEGRADED)
def test_a_session_names_trial_condition_category_and_scene(root, name):
    row = DEGRADED[name]
    paths = sorted((root / name / "dnn/session-1").iterdir())
    declared = json.loads((root / name / "dataset.json").read_text())
    assert declared["source"] == f"model_vs_human/{name}"
    assert declared["examples"] == len(paths) and declared["classes"] == 16
    counts = collections.Counter()
    for trial, path in enumerate(paths, 1):
        number, experiment, subject, condition, category, code, *rest = path.stem.split(
            "_"
        )
        assert (int(number), experiment, subject) == (trial, row.experiment, "dnn")
        assert code == row.code and len(number) == 4
        wnid, scene = rest
        assert wnid == sets.wnid(labels.CATEGORIES.index(category))
        assert 1 <= int(scene) <= SCENES
        counts[condition, category] += 1
    chosen = {condition for condition, _ in counts}
    assert chosen <= set(row.conditions)
    assert {row.conditions[0], row.conditions[-1]} <= chosen
    assert len(chosen) == min(CONDITIONS, len(row.conditions))
    assert set(counts.values()) == {SCENES}
    assert len(counts) == 16 * len(chosen)


@pytest.mark.parametrize("name", IN_FOLDERS)
def test_sets_in_category_folders_have_the_published_names(root, name):
    found = {
        path.relative_to(root / name).as_posix()
        for path in (root / name).rglob("*.png")
    }
    assert found == {f"{category}/{category}1.png" for category in labels.CATEGORIES}


def test_sketches_are_a_session_of_one_condition(root):
    found = pictures(root, "sketch")
    assert set(found) == {("0", category) for category in labels.CATEGORIES}


@pytest.mark.parametrize("name", [*IN_FOLDERS, "sketch", *DEGRADED])
def test_all_pictures_are_rgb_of_224_pixels(root, name):
    for path in (root / name).rglob("*.png"):
        with Image.open(path) as picture:
            assert (picture.size, picture.mode) == ((224, 224), "RGB")


@pytest.mark.parametrize("source", ROWS)
def test_a_set_opens_with_the_labels_of_what_was_drawn(root, source):
    opened = dataset.open_source(catalog.SOURCES[source], str(root.parent), "")
    items = {item.path: item for item in ROWS[source].items}
    assert set(opened.locations) == set(items) and opened.declared
    places = [items[location] for location in opened.locations]
    if source == "frequency_cue_conflict":
        pairs = [[item.kind, item.cue] for item in places]
        assert opened.labels["shape_texture"].tolist() == pairs
        return
    assert opened.labels["category"].tolist() == [[item.kind] for item in places]
    if opened.source.conditions:
        degraded = DEGRADED[source.removeprefix("model_vs_human/")]
        pairs = [[i.kind, degraded.conditions.index(i.condition)] for i in places]
        assert opened.labels["category_condition"].tolist() == pairs


@pytest.mark.parametrize("source", ROWS)
def test_the_doctor_finds_nothing(root, source):
    config = EvaluateConfig(data_dir=str(root.parent), tfds_dir=str(root / "none"))
    row, manifests = catalog.SOURCES[source], epath.Path(root / "manifests")
    found = doctor.examine(row, (), config, manifests, 4, lambda count: None)
    assert not found.findings and found.decoded >= 4


def true_logits(kinds):
    """Return logits of models that always decide for these categories."""
    logits = np.zeros((len(kinds), 1000), np.float32)
    for number, kind in enumerate(kinds):
        logits[number, list(labels.CATEGORY_MEMBERS[kind])] = 9
    return logits


@pytest.mark.parametrize("source", ROWS)
def test_a_set_is_scored_by_every_benchmark_that_reads_it(root, source):
    opened = dataset.open_source(catalog.SOURCES[source], str(root.parent), "")
    logits = true_logits(opened.labels[opened.source.space][:, 0])
    known = benchmarks.all_benchmarks().values()
    reading = [b for b in known if b.source == source]
    assert len(reading) == 2  # by each read-out
    for benchmark in reading:
        truth = opened.labels[benchmark.score.label]
        sums, _ = jax.jit(jax.vmap(benchmark.score))(logits, truth)
        cell = Cell({name: int(n.sum()) for name, n in sums.items()}, list)
        assert cell.sums["count"] == cell.sums["top1"] == len(opened)
        family = benchmarks.families()[benchmark.family]
        values = family.summarize({benchmark.name: cell})
        for place, condition in enumerate(opened.source.conditions):
            value = values[f"{benchmark.name}/{condition}/top1"].value
            drawn = (truth[:, 1] == place).any()
            assert value == 100 if drawn else np.isnan(value)


def test_low_frequencies_are_of_the_first_name_and_high_ones_of_the_second(
    root, photographs
):
    found = {}
    for path in sorted((root.parent / "frequency-cue-conflict").rglob("*.png")):
        found[path.stem] = np.asarray(Image.open(path), float)[..., 0] / 255
    assert len(found) == 16 * 15 * SCENES
    cycles = np.hypot(*np.meshgrid(*[np.fft.fftfreq(224) * 224] * 2))

    def alike(one, other, band):
        parts = [np.fft.fft2(x)[band] for x in (one, other)]
        return (
            np.vdot(*parts).real / np.linalg.norm(parts[0]) / np.linalg.norm(parts[1])
        )

    for low, high in (("airplane", "bear"), ("bear", "airplane"), ("truck", "dog")):
        made = found[f"{low}1-{high}1"]
        first, second = (
            m.grey(photographs[labels.CATEGORIES.index(name)]) for name in (low, high)
        )
        slow, fast = (cycles > 0) & (cycles < 6), cycles > 40
        # What is clipped at black and white leaks from one band into the other.
        assert alike(made, first, slow) > 0.95 > 0.8 > alike(made, second, slow)
        assert alike(made, second, fast) > 0.95 > 0.5 > alike(made, first, fast)


def close(first, second):
    """Hold 8-bit pictures against each other: rounding may differ by one."""
    assert abs(np.asarray(first, float) - second).max() <= 1


def test_pictures_are_the_degraded_scenes(root, photographs):
    contrast, colour = pictures(root, "contrast"), pictures(root, "colour")
    false, turned = pictures(root, "false-colour"), pictures(root, "rotation")
    for kind, category in enumerate(labels.CATEGORIES):
        image = photographs[kind]
        grey = 255 * m.grey(image)
        close(colour["cr", category], image)
        close(false["true", category], image)
        close(false["false", category], 255 * m.opponent(image))
        close(contrast["c01", category], 127.5 + 0.01 * (grey - 127.5)[..., None])
        close(turned["270", category], np.rot90(grey, 3)[..., None])


def test_power_equalised_pictures_share_the_amplitudes_of_all_scenes(root, photographs):
    amplitude = m.mean_amplitude(np.stack([m.grey(image) for image in photographs]))
    found = pictures(root, "power-equalisation")
    for kind, category in enumerate(labels.CATEGORIES):
        wanted = m.power_equalised(m.grey(photographs[kind]), amplitude)
        close(found["pow", category], 255 * wanted[..., None])


def test_noise_differs_between_the_pictures(root, photographs):
    found = pictures(root, "uniform-noise")
    noises = [
        found["0.90", category][..., 0] - 255 * m.contrast(m.grey(image), 0.3)
        for category, image in zip(labels.CATEGORIES, photographs, strict=True)
    ]
    for first, second in itertools.combinations(noises[:6], 2):
        # 50,176 pixels: a correlation by chance stays below five of its deviations.
        assert abs(np.corrcoef(first.ravel(), second.ravel())[0, 1]) < 5 / 224


def test_silhouettes_are_black_on_white_and_edges_are_lines(root):
    for category in labels.CATEGORIES:
        silhouette = np.asarray(
            Image.open(root / f"silhouette/{category}/{category}1.png")
        )
        assert set(np.unique(silhouette)) >= {0, 255}
        assert np.mean((silhouette > 0) & (silhouette < 255)) < 0.05
        assert 0.05 < np.mean(silhouette == 0) < 0.6
        drawing = np.asarray(Image.open(root / f"edge/{category}/{category}1.png"))
        assert set(np.unique(drawing)) == {0, 255}
        assert 0.005 < np.mean(drawing == 0) < 0.2


def test_conditions_are_thinned_evenly():
    rows = {row.source: row for row in model_vs_human.computed(1, 1, 4)}
    items = rows["model_vs_human/contrast"].items
    assert [item.condition for item in items[::16]] == ["c100", "c30", "c05", "c01"]
    items = model_vs_human.computed(1, 2, 8)[4].items
    assert len(items) == 8 * 2 * 16
