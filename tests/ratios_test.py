"""Are ratios of the accuracies that were measured, and honest about the rest?"""

import math

import numpy as np
import pyarrow as pa
import pytest

from biases_jax import ratios
from biases_jax.types import Cell

N = 500


def cell(right, ids=None, records=True):
    """Return a cell of these answers."""

    def load():
        if not records:
            raise ValueError("got no records")
        return pa.table({"id": np.arange(N) if ids is None else ids, "correct": right})

    return Cell({"top1": int(right.sum()), "count": N}, load)


def answers(rate, seed):
    return np.random.default_rng(seed).random(N) < rate


def measured(**changes):
    cells = {
        "clean": cell(answers(0.8, 0)),
        "a": cell(answers(0.2, 1)),
        "b": cell(answers(0.4, 2)),
        "none": cell(answers(0.0, 3)),
    }
    return ratios.Ratios(cells | changes, "clean")


def test_a_ratio_averages_benchmarks_and_subtracts_chance():
    mean = (answers(0.2, 1).mean() + answers(0.4, 2).mean()) / 2
    clean = answers(0.8, 0).mean()
    found = measured().of_clean(("a", "b"))
    # 1e-12: a few operations in float64.
    assert found.value == pytest.approx(mean / clean, rel=1e-12)
    assert found.n == N and found.low < found.value < found.high
    assert not found.reason
    corrected = measured().of_clean(("a", "b"), 0.05)
    expected = (mean - 0.05) / (clean - 0.05)
    assert corrected.value == pytest.approx(expected, rel=1e-12)
    assert corrected.low < corrected.value < corrected.high


def test_a_share_is_of_the_two_parts():
    own, rest = answers(0.2, 1).mean(), answers(0.4, 2).mean()
    found = measured().share(("a",), ("b",))
    assert found.value == pytest.approx(own / (own + rest), rel=1e-12)
    assert 0 < found.low < found.value < found.high < 1


def test_what_is_below_chance_may_be_below_0_but_no_other_ratio():
    assert measured().of_clean(("none",)).low == 0
    corrected = measured().of_clean(("none",), 0.05)
    assert corrected.low < corrected.value < 0
    assert measured().share(("none",), ("a",)).low == 0
    assert measured().share(("a",), ("none",)).high == 1


def test_answers_to_the_same_images_make_an_interval_narrow():
    right = answers(0.8, 0)
    same = measured(a=cell(right)).of_clean(("a",))
    other = measured(a=cell(answers(0.8, 9))).of_clean(("a",))
    assert same.high - same.low < (other.high - other.low) / 4


@pytest.mark.parametrize(
    "a", [cell(answers(0.2, 1), records=False), cell(answers(0.2, 1), np.arange(N) + 1)]
)
def test_records_that_are_gone_or_of_other_images_leave_no_interval(a):
    found = measured(a=a).of_clean(("b", "a"))
    assert math.isnan(found.low) and math.isnan(found.high)
    assert found.value == measured().of_clean(("b", "a")).value
    for lacking in (found, measured(a=a).share(("b",), ("a",))):
        assert lacking.reason == ratios.NO_INTERVAL


@pytest.mark.parametrize(
    "clean, chance, reason",
    [
        (np.zeros(N, bool), 0.0, "the clean accuracy is 0"),
        (np.arange(N) < 9, 0.002, "the clean accuracy, 1.80%, is near chance: below 2"),
    ],
)
def test_too_low_a_clean_accuracy_is_a_reason(clean, chance, reason):
    found = measured(clean=cell(clean)).of_clean(("a",), chance)
    assert math.isnan(found.value) and reason in found.reason


def test_what_was_not_measured_is_named():
    assert measured().of_clean(("a", "x")).reason == "not measured: x"
    assert measured().share(("a",), ("x", "y")).reason == "not measured: x, y"
    assert measured().share(("none",), ("none",)).reason == "both biases are 0"
