"""Is each fault named, and nothing named where there is none?"""

import dataclasses

import pytest
from parity import faults

from biases_jax.parity import causes, comparison

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
