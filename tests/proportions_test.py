"""Are intervals Wilson's?"""

import math

import pytest

from biases_jax import proportions
from biases_jax.types import Cell

Z = 1.959963984540054  # 97.5 % of the normal distribution


@pytest.mark.parametrize(
    ("hits", "n"), [(0, 10), (3, 10), (10, 10), (38073, 50000), (1, 1)]
)
def test_intervals_are_the_closed_form(hits, n):
    value = proportions.wilson(hits, n)
    p = hits / n
    centre = (p + Z**2 / 2 / n) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * math.sqrt(p * (1 - p) / n + Z**2 / 4 / n**2)
    assert value.value == 100 * hits / n
    # SciPy solves the same quadratic; rounding of numbers around 100.
    assert value.low == pytest.approx(100 * (centre - half), abs=1e-9)
    assert value.high == pytest.approx(100 * (centre + half), abs=1e-9)
    assert value.n == n


def test_no_trials_give_no_number():
    value = proportions.wilson(0, 0)
    assert math.isnan(value.value)
    assert value.reason


def test_an_absent_cell_gives_no_number_and_its_name():
    cells = {"a/b": Cell({"top1": 1, "count": 4}, lambda: None)}
    assert proportions.accuracy(cells, "a/b", "top1").value == 25
    value = proportions.accuracy(cells, "a/c", "top1")
    assert math.isnan(value.value)
    assert "a/c" in value.reason


def test_rates_are_of_the_examples_that_a_score_judges():
    sums = {"count": 50, "scored": 20, "top1": 5, "top5": 10, "nonfinite": 0}
    assert proportions.trials(sums) == 20
    value = proportions.accuracy({"a/b": Cell(sums, lambda: None)}, "a/b", "top1")
    expected = proportions.wilson(5, 20)
    assert (value.value, value.n) == (25, 20)
    assert (value.low, value.high) == (expected.low, expected.high)
    del sums["scored"]
    assert proportions.trials(sums) == 50


def test_where_no_example_is_judged_there_is_no_rate():
    sums = {"count": 50, "scored": 0, "top1": 0, "top5": 0, "nonfinite": 0}
    value = proportions.accuracy({"a/b": Cell(sums, lambda: None)}, "a/b", "top1")
    assert math.isnan(value.value) and value.reason == "no examples"
