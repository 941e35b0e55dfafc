"""Which differences are rounding, and which are not?"""

import dataclasses

import numpy as np
import pytest

from biases_jax.models import activations
from biases_jax.parity import differences, gates, runs


def difference(relative, over_spread=0.0):
    return differences.Difference(0.0, over_spread, relative, 0.0, 0.0, 0.0, 1)


def comparison(precision="float32", **changes):
    stages = dict.fromkeys(runs.NAMES, difference(0.0)) | changes
    return differences.Comparison("a", "b", precision, stages, 4, 4, (), 0.0, 1.0, 1.0)


@pytest.mark.parametrize("precision", runs.PRECISIONS)
def test_bounds_are_inclusive_and_broken_beyond(precision):
    gate = gates.GATES[precision]
    at = comparison(precision, logits=difference(0.0, gate.logits))
    assert gates.failures(at) == []
    over = comparison(precision, logits=difference(0.0, gate.logits * 1.01))
    assert "logits" in gates.failures(over)[0]


@pytest.mark.parametrize("precision", ["float64", "float32", "tf32"])
def test_gradients_are_bounded_but_for_bfloat16(precision):
    far = difference(gates.GATES[precision].gradient * 1.01)
    assert "gradient" in gates.failures(comparison(precision, gradient=far))[0]
    assert gates.failures(comparison("bfloat16", gradient=difference(1.2))) == []


def test_float64_that_differs_by_1e_8_is_a_failure():
    for name in ("logits", "gradient"):
        near = comparison("float64", **{name: difference(1e-8, 1e-8)})
        assert name in gates.failures(near)[0]
        assert gates.failures(dataclasses.replace(near, precision="float32")) == []


@pytest.mark.parametrize("precision", gates.COARSE)
@pytest.mark.parametrize(
    ("factor", "message"),
    [(0, "cosine 0.00"), (-1, "cosine -1.00"), (100, "1.0e+02 times as long")],
)
def test_broken_gradients_are_found_in_coarse_precisions(precision, factor, message):
    gradient = np.random.default_rng(0).normal(size=(2, 300))
    flips, cosine, scale = differences.directions(
        runs.Values(factor * gradient, 300, 3), runs.Values(gradient, 300, 3)
    )
    broken = dataclasses.replace(
        comparison(precision), sign_flips=flips, cosine=cosine, scale=scale
    )
    assert message in " ".join(gates.failures(broken))


def test_the_noise_of_bfloat16_factors_is_allowed():
    """Of the spec's measurements the worst: 1.2 relative, 42 % of the signs."""
    noisy = dataclasses.replace(comparison("bfloat16"), sign_flips=0.42, cosine=0.28)
    assert gates.failures(noisy) == []
    unrelated = dataclasses.replace(noisy, sign_flips=0.5, cosine=0.0)
    assert len(gates.failures(unrelated)) == 2


def test_decisions_may_differ_only_where_the_margin_is_small():
    near = dataclasses.replace(comparison(), agree=3, margins=(9e-4,))
    assert gates.failures(near) == []
    clear = dataclasses.replace(comparison(), agree=2, margins=(9e-4, 2e-3))
    assert gates.failures(clear) == ["1 clear decision(s) differ"]


def test_what_is_no_number_breaks_every_bound():
    nothing = difference(float("nan"), float("nan"))
    broken = comparison(logits=nothing, gradient=nothing, conv1=nothing)
    assert len(gates.failures(broken)) == 2
    assert gates.first_deviation(broken) == "conv1"
    assert gates.failures(comparison(conv1=nothing)) == ["conv1 nan relative"]


def test_coarse_precisions_are_also_bounded_at_every_stage():
    """Their logits may differ almost as by a wrong padding; the first stages not."""
    early = comparison("bfloat16", conv1=difference(0.1))
    assert gates.failures(early) == ["conv1 1.0e-01 relative"]
    late = comparison("bfloat16", layer4_2=difference(0.1))
    assert gates.failures(late) == []


def test_limits_grow_with_depth_from_the_first_to_the_last():
    for precision, gate in gates.GATES.items():
        found = [gates.limit(stage, precision) for stage in activations.STAGES[1:]]
        assert found == sorted(found)
        assert found[0] == pytest.approx(gate.first, rel=1e-9)
        assert found[-1] == pytest.approx(gate.last, rel=1e-9)


def test_the_first_deviation_is_the_first_stage_beyond_its_limit():
    assert gates.first_deviation(comparison()) == ""
    both = comparison(layer2_0=difference(0.5), pooled=difference(0.5))
    assert gates.first_deviation(both) == "layer2_0"
    assert gates.first_deviation(comparison(gradient=difference(1.0))) == ""
