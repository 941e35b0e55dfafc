"""Models are told apart, and no legend or name is cut."""

import pytest
from analysis import drawn, synthetic_long

from biases_jax.analysis.drawings import (
    critical_band,
    model_vs_human,
    natural,
    shape,
    spectral,
)
from biases_jax.analysis.figures import curves, style
from biases_jax.models import zoo
from biases_jax.types import Value

PHENOMENA = (natural, critical_band, spectral, shape, model_vs_human)


def test_48_models_are_told_apart():
    value = Value(0.5, 0.4, 0.6, 10)
    lines = [curves.Curve(f"model {i}", i, [0.1, 0.9], [value] * 2) for i in range(48)]
    axis = curves.band_pass(lines, []).axes[0]
    looks = {
        (x.get_color(), str(x.get_linestyle()), x.get_marker()) for x in axis.lines
    }
    assert len(looks) == 48


def test_few_models_are_told_apart_without_colours():
    looks = [style.look(index) for index in range(len(style.MARKERS))]
    assert len({look["marker"] for look in looks}) == len(looks)


def test_a_model_looks_the_same_in_every_figure():
    long = synthetic_long.of_models([f"model {i:02}" for i in range(14)])
    looks = set()
    for phenomenon, name in (
        (spectral, "band_pass_clean_2"),
        (shape, "shape_bias_2"),
        (model_vs_human, "conditions_2"),
    ):
        figure, _ = drawn.figures(phenomenon, long)[name]
        [line] = [x for x in figure.axes[0].lines if x.get_label() == "model 12"]
        looks.add((line.get_color(), line.get_marker()))
    assert looks == {(style.look(12)["color"], style.look(12)["marker"])}


@pytest.mark.parametrize("phenomenon", PHENOMENA)
@pytest.mark.parametrize("count", [1, 4, pytest.param(48, marks=pytest.mark.slow)])
def test_nothing_sticks_out_of_a_figure(phenomenon, count):
    names = sorted(zoo.MODELS, key=lambda name: -len(name))[:count]
    found = drawn.figures(phenomenon, synthetic_long.of_models(names))
    assert found
    for name, (figure, _) in found.items():
        assert drawn.inside(figure), name


def test_a_legend_takes_the_fewest_columns_that_its_names_need():
    assert style._legend(["a"] * 5) == (3, 9)
    assert style._legend(["a" * 60] * 5) == (2, 7)
    assert style._legend([]) == (3, 9)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("short", ["short"]),
        ("resnet50_deepaugment_augmix", ["resnet50_", "deepaugment_", "augmix"]),
        ("resnet50.a1_in1k", ["resnet50.a1_", "in1k"]),
        ("robust_linf_eps0.5", ["robust_linf_", "eps0.5"]),
        ("withoutanybreakatall", ["withoutanybreakatall"]),
    ],
)
def test_long_names_are_broken_after_punctuation(name, lines):
    assert style.wrapped(name, 12).split("\n") == lines
