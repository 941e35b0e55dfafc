"""Is the shape bias a share of the decisions for either cue?"""

import pytest
from scipy import stats

from biases_jax.benchmarks import shape
from biases_jax.types import Cell

NAME = "shape/cue_conflict"


def cell(shape_count, texture_count, scored=1200, count=1280):
    sums = {"count": count, "scored": scored, "top1": shape_count, "top5": 0}
    cues = {"shape": shape_count, "texture": texture_count}
    return {NAME: Cell({**sums, **cues, "nonfinite": 0}, lambda: None)}


def test_bias_is_of_the_decided_images_and_rates_are_of_the_scored():
    values = shape.summarize(cell(220, 780))
    bias = values["shape/bias"]
    assert (bias.value, bias.n) == (22, 1000)
    interval = stats.binomtest(220, 1000).proportion_ci(method="wilson")
    assert (bias.low, bias.high) == (100 * interval.low, 100 * interval.high)
    assert values[f"{NAME}/shape"].value == pytest.approx(100 * 220 / 1200)
    assert values[f"{NAME}/texture"].value == 65
    assert values[f"{NAME}/texture"].n == 1200


def test_a_model_that_decides_for_neither_has_no_bias():
    bias = shape.summarize(cell(0, 0))["shape/bias"]
    assert bias.value != bias.value and "either cue" in bias.reason
    assert shape.summarize(cell(0, 5))["shape/bias"].value == 0


def test_what_was_not_measured_says_so():
    values = shape.summarize(cell(1, 1))
    for name in ("shape/bias_sum", f"{NAME}/sum/shape", f"{NAME}/sum/texture"):
        value = values[name]
        assert value.value != value.value and f"{NAME}/sum" in value.reason


def test_the_two_read_outs_are_told_apart():
    first, second = shape.benchmarks()
    assert first.source == second.source == "cue_conflict"
    assert (first.score.readout, second.score.readout) == ("mean", "sum")
