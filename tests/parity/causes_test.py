"""Is each fault named, and nothing named where there is none?"""

import dataclasses

import numpy as np
import parity_inputs
import pytest
from parity import faults

from biases_jax.parity import causes, comparison, differences, runs, table

PRECISIONS = ("float64", "float32")


def only(reference, precision):
    """Return a reference that was asked in one precision."""
    kept = {precision: reference.runs[precision]}
    return dataclasses.replace(reference, runs=kept)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("fault", faults.VERDICTS)
def test_the_verdict_names_the_fault(of_jax, of_torch, images, fault, precision):
    against = only(of_torch(fault=fault), precision)
    result = comparison.compare(of_jax(), against, images, (precision,))
    assert result.verdict == faults.VERDICTS[fault]
    assert not result.agrees and result.rows[0].failures


@pytest.mark.parametrize("seed", range(3))
def test_there_is_no_false_alarm(of_jax, of_torch, images, seed):
    result = comparison.compare(of_jax(seed), of_torch(seed), images, PRECISIONS)
    assert result.agrees and result.verdict == causes.AGREES
    assert [row.yardstick for row in result.rows] == [False, False, False, True]


def test_other_weights_are_not_compared(of_jax, of_torch, images):
    result = comparison.compare(of_jax(0), of_torch(1), images, PRECISIONS)
    assert result.verdict == causes.WEIGHTS and not result.rows


def test_faults_of_the_images_are_told_on_the_side_where_they_are(of_torch, images):
    context = causes.Context(images, parity_inputs.MEAN, parity_inputs.STD, dict, dict)
    right = of_torch().runs["float32"]
    for fault, (*_, verdict) in faults.BEFORE_THE_NETWORK.items():
        wrong = of_torch(fault=fault).runs["float32"]
        for a, b, side in (
            (wrong, right, causes.OURS),
            (right, wrong, causes.THEIRS),
        ):
            found = causes.cause(differences.compare(a, b), a, b, context)
            assert found == causes.at(verdict, side)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_is_told_first_with_its_side(
    of_jax, of_torch, images, value
):
    healthy = only(of_torch(), "float32")
    [run] = healthy.runs.values()
    stem, logits = (run.values[name] for name in ("stem", "logits"))
    broken = {
        "stem": stem._replace(array=np.full_like(stem.array, value)),
        "logits": logits,
    }
    run = dataclasses.replace(run, values={**run.values, **broken})
    against = dataclasses.replace(healthy, runs={"float32": run})
    result = comparison.compare(of_jax(), against, images, ("float32",))
    assert result.verdict == "not finite in the reference, first at stem"
    assert not result.agrees and result.rows[0].failures
    finite = healthy.runs["float32"]
    assert causes.not_finite(run, finite).startswith("not finite in the run here,")
    assert causes.not_finite(run, run) == (
        "not finite in the run here and the reference, first at stem"
    )
    assert causes.not_finite(finite, finite) == ""


@pytest.mark.parametrize(
    ("name", "verdict"),
    [(runs.GRADIENT, causes.ONLY_GRADIENT), ("logits", causes.ONLY_LOGITS)],
)
def test_without_a_stage_the_verdict_says_what_deviates(
    of_jax, of_torch, images, name, verdict
):
    healthy = only(of_torch(), "float32")
    run = healthy.runs["float32"]
    values = run.values[name]
    array = values.array.copy()
    array[0, 0] += 1.1e-3 * array.std() if name == "logits" else 2 * abs(array).sum()
    changed = {**run.values, name: values._replace(array=array)}
    changed_run = dataclasses.replace(run, values=changed)
    found = differences.compare(run, changed_run)
    # One value of few moves all logits by more than a stage's limit: as if of many.
    stage = dataclasses.replace(found.stages["logits"], relative=0.0)
    found = dataclasses.replace(found, stages={**found.stages, "logits": stage})
    context = causes.Context(images, parity_inputs.MEAN, parity_inputs.STD, dict, dict)
    assert causes.cause(found, run, changed_run, context) == verdict


def test_the_most_exact_comparison_decides_which_cause_is_told(
    of_jax, of_torch, images
):
    """In float64 the padding is found, in float32 the answers are not even finite."""
    against = of_torch(fault="pool")
    broken = against.runs["float32"]
    nothing = broken.values["conv1"]._replace(
        array=broken.values["conv1"].array * np.nan
    )
    values = {**broken.values, "conv1": nothing}
    found = {**against.runs, "float32": dataclasses.replace(broken, values=values)}
    against = dataclasses.replace(against, runs=found)
    result = comparison.compare(of_jax(), against, images, PRECISIONS)
    assert result.rows[-2].cause.startswith("not finite")
    assert result.verdict == causes.POOL_PADDING


def test_a_coarser_reference_is_named_in_the_verdict(of_jax, of_torch, images):
    against = only(of_torch(), "float32")
    result = comparison.compare(of_jax(), against, images, PRECISIONS)
    assert result.agrees and result.verdict.startswith("agrees with torch float32 and")
    assert "jax float64 not checked" in result.verdict
    exact = comparison.compare(of_jax(), against, images, ("float32",))
    assert exact.agrees and exact.verdict == causes.AGREES


def test_another_reader_of_the_file_is_told_with_the_verdict(of_jax, of_torch, images):
    about = {"reference": {"torch float64": {"file_read_by": "ours, torch refused x"}}}
    assert comparison.reader(about) == "file read by ours, torch refused x"
    assert comparison.reader({"here": {"file_read_by": "torch"}}) == ""
    result = comparison.compare(of_jax(), of_torch(1), images, PRECISIONS)
    found = table.verdict(dataclasses.replace(result, about=about))
    assert found.endswith("(file read by ours, torch refused x)")
