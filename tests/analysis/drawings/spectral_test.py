"""Curves over the cut-offs are the table's ratios, of both kinds of filters."""

import math

import pytest
from analysis import drawn, synthetic, synthetic_long

from biases_jax import results
from biases_jax.analysis import run, table
from biases_jax.analysis.drawings import spectral
from biases_jax.types import Value


def test_a_curve_has_a_point_per_cutoff_of_every_model(tmp_path):
    synthetic.fill(tmp_path)
    long = table.long(results.read(tmp_path).rows(), run.summaries())
    figure, caption = drawn.figures(spectral, long)["band_pass"]
    assert drawn.labels(figure) == ["a", "b"] and "Not drawn" not in caption
    for axis, kind in zip(figure.axes, ("low", "high"), strict=True):
        x, y = drawn.lines(axis, "b")
        assert x == [float(cutoff) for cutoff in synthetic_long.CUTOFFS]
        ratios = [
            synthetic.top1("b", f"spectral/{kind}_pass/{cutoff}") / 140
            for cutoff in synthetic_long.CUTOFFS
        ]
        assert y == pytest.approx(ratios, rel=1e-12)  # one rounding


def test_bands_are_the_intervals_and_clean_filters_have_a_figure_of_their_own():
    numbers = synthetic_long.numbers()
    numbers["spectral/high_pass_clean/0.3/ratio"] = Value(0.5, 0.4, 0.6, 9)
    found = drawn.figures(spectral, synthetic_long.long({"a": numbers}))
    assert list(found) == ["band_pass", "band_pass_clean"]
    figure, caption = found["band_pass_clean"]
    _, y = drawn.lines(figure.axes[1], "a")
    assert y[3] == 0.5
    [band] = figure.axes[1].collections
    edges = band.get_paths()[0].vertices
    assert {0.4, 0.6} <= {round(y, 9) for x, y in edges if x == 0.3}
    assert "95 %" in caption and "circular" in caption


def test_a_missing_number_is_a_gap_that_the_caption_names():
    a, b = synthetic_long.numbers(0), synthetic_long.numbers(1)
    a["spectral/low_pass/0.3/ratio"] = "the run stopped"
    del b["spectral/low_pass/0.4/ratio"]
    long = synthetic_long.long({"a": a, "b": b})
    figure, caption = drawn.figures(spectral, long)["band_pass"]
    _, y = drawn.lines(figure.axes[0], "a")
    assert math.isnan(y[3]) and not any(map(math.isnan, y[:3] + y[4:]))
    _, y = drawn.lines(figure.axes[0], "b")
    assert math.isnan(y[4])
    expected = (
        "Not drawn: a (the run stopped); b (not measured: spectral/low_pass/0.4)."
    )
    assert caption.endswith(expected)


def test_cutoffs_that_no_model_has_are_named_once():
    models = {name: synthetic_long.numbers(i) for i, name in enumerate("ab")}
    for found in models.values():
        for cutoff in ("0.01", "0.99"):
            found[f"spectral/high_pass_clean/{cutoff}/ratio"] = "not measured"
    figures = drawn.figures(spectral, synthetic_long.long(models))
    figure, caption = figures["band_pass_clean"]
    assert drawn.lines(figure.axes[1], "a")[0] == [i / 10 for i in range(1, 10)]
    assert len(drawn.lines(figure.axes[0], "a")[0]) == len(synthetic_long.CUTOFFS)
    assert "No model has a number for high-pass at 0.01, 0.99." in caption
    assert "Not drawn" not in caption
    assert "No model" not in figures["band_pass"][1]


def test_a_model_without_clean_accuracy_is_named_instead_of_drawn(tmp_path):
    synthetic.fill(tmp_path, models=("a",), benchmarks=synthetic.BENCHMARKS[1:])
    synthetic.fill(tmp_path, models=("b", "c"))
    long = table.long(results.read(tmp_path).rows(), run.summaries())
    figure, caption = drawn.figures(spectral, long)["band_pass"]
    assert drawn.labels(figure) == ["b", "c"]
    assert "Not drawn: a (not measured: natural/imagenet)" in caption


def test_twelve_models_share_a_figure():
    names = [f"model {index:02}" for index in range(13)]
    found = drawn.figures(spectral, synthetic_long.of_models(names))
    assert list(found) == [
        f"band_pass{suffix}_{number}" for suffix in ("", "_clean") for number in (1, 2)
    ]
    shown = [drawn.labels(found[f"band_pass_{number}"][0]) for number in (1, 2)]
    assert shown == [names[:12], names[12:]]
    assert "Intervals are in long.csv." in found["band_pass_1"][1]


def test_nothing_filtered_is_no_figure():
    long = synthetic_long.long({"a": {"natural/imagenet/top1": 50.0}})
    assert drawn.figures(spectral, long) == {}
    a = {"spectral/low_pass/0.1/ratio": "not measured"}
    assert drawn.figures(spectral, synthetic_long.long({"a": a})) == {}
