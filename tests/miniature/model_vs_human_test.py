"""Are the computed sets laid out as published, with what was drawn in them?"""

import collections
import itertools
import json

import numpy as np
import pytest
from etils import epath
from PIL import Image

from biases_jax import labels
from biases_jax.miniature import manipulations as m
from biases_jax.miniature import model_vs_human, sets, trees, world
from biases_jax.miniature.degradations import DEGRADED
from biases_jax.miniature.settings import TEST

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
