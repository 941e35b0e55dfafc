"""Are the published figures the study's, whole, and read from sound columns?"""

import hashlib
import importlib.resources
import pathlib

import pytest

from biases_jax import benchmarks
from biases_jax.analysis import published
from biases_jax.models import zoo

DATA = importlib.resources.files("biases_jax").joinpath("data")
ROOT = pathlib.Path(__file__).parents[2]
SHARED = [folder / "shared/published" for folder in (ROOT, ROOT.parent)]
FILES = {
    "published_figures.csv": "figures48.csv",
    "published_corruptions.csv": "corruptions48.csv",
}
SUMS = {
    "published_figures.csv": "d43defb1855ae1e841417c45da74a882"
    "c4fe2f910fce0508285ca8c04cd399fc",
    "published_corruptions.csv": "66d17929c6a659bbedb8f2efec1b5891"
    "f3b8753b397fd3c736a93e04fbdedaa2",
}
DEFECTS = ("_last_batch", "_as_published")  # endings of columns that are wrong


@pytest.mark.parametrize("file", FILES)
def test_the_tables_are_the_shared_ones_where_these_are(file):
    there = [folder / FILES[file] for folder in SHARED if folder.exists()]
    if not there:
        pytest.skip("the shared tables are not here")
    assert DATA.joinpath(file).read_bytes() == there[0].read_bytes()


@pytest.mark.parametrize("file", FILES)
def test_the_tables_are_unchanged(file):
    digest = hashlib.sha256(DATA.joinpath(file).read_bytes()).hexdigest()
    assert digest == SUMS[file]


@pytest.mark.parametrize("file", FILES)
def test_all_48_models_are_there_once(file):
    names = [line["model"] for line in published.lines(file)]
    assert len(names) == 48
    assert set(names) == set(zoo.MODELS)


@pytest.mark.parametrize("model", zoo.MODELS)
def test_every_model_has_every_figure(model):
    figures = published.figures(model)
    assert set(published.COLUMNS) <= set(figures)
    assert len([name for name in figures if name.startswith("spectral/")]) == 22
    assert len([name for name in figures if name.startswith("imagenet_c/")]) == 95
    assert len([name for name in figures if name.startswith("imagenet_cbar/")]) == 50
    assert len(figures) == len(published.COLUMNS) + 22 + 95 + 50
    assert all(0 <= figure.percent <= 100 for figure in figures.values())
    assert figures["natural/imagenet"].percent == pytest.approx(
        zoo.MODELS[model].top1,
        abs=1e-6,  # the table has single precision
    )


def test_a_figure_is_a_whole_number_of_its_images():
    for model in zoo.MODELS:
        for name, figure in published.figures(model).items():
            correct = figure.percent * figure.n / 100
            # Single-precision percentages, and 10 digits of the ratios.
            assert correct == pytest.approx(round(correct), abs=0.01), (model, name)


def test_figures_are_of_the_benchmarks_that_their_names_say():
    figures = published.figures("tv_resnet50")
    expected = {
        "natural/imagenet": 76.146,
        "natural/imagenet_v2/matched_frequency": 63.14,
        "natural/imagenet_a/subset200": 100 * 2 / 7500,
        "natural/imagenet_r/subset200": 100 * 10847 / 30000,
        "natural/imagenet_sketch": 100 * 12260 / 50889,
        "model_vs_human/stylized": 37.125,
        "spectral/low_pass/0.1": 76.146 * 0.1775799124,
        "spectral/high_pass/0.99": 76.146 * 0.6926430805,
    }
    for name, percent in expected.items():
        # Digits of the table.
        assert figures[name].percent == pytest.approx(percent, abs=1e-5), name
    known = benchmarks.all_benchmarks()
    assert set(expected) <= set(known)
    families = {name.partition("/")[0] for name in known}
    mine = [name for name in figures if name.partition("/")[0] in families]
    assert set(mine) <= set(known)


def test_a_column_with_a_defect_is_never_compared_with():
    columns = list(published.lines("published_figures.csv")[0])
    wrong = [name for name in columns if name.endswith(DEFECTS)]
    assert sorted(wrong) == [
        "imagenet_real_last_batch",
        "pgd40_high_as_published",
        "pgd40_low_as_published",
    ]
    used = {column for column, _ in published.COLUMNS.values()}
    assert used.isdisjoint(wrong) and used <= set(columns)
    assert not any(published.RATIO.fullmatch(name) for name in wrong)
    for model in zoo.MODELS:
        figures = published.figures(model)
        assert "natural/imagenet_real" not in figures
        assert not any(name.startswith("adversarial/") for name in figures)


def test_a_model_of_ones_own_has_none():
    assert published.figures("mine") == {}


def test_the_authors_and_their_licence_stand_beside_the_data():
    text = DATA.joinpath("README.md").read_text(encoding="utf-8")
    for file in FILES:
        assert f"`{file}`" in text
    assert "Paul Gavrikov and Janis Keuper" in text and "CC BY-SA 4.0" in text
