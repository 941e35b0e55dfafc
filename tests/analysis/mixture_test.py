"""Are numbers of different experiments kept apart?"""

import dataclasses
import math

import pytest
from analysis import synthetic

from biases_jax import results
from biases_jax.analysis import mixture, run, table


def measure(folder, **changes):
    """Write all cells of model a, the last with changed provenance."""
    store = results.ResultsStore(folder, synthetic.RUN)
    for name in synthetic.BENCHMARKS:
        last = name == synthetic.BENCHMARKS[-1]
        header = synthetic.header("a", name, **(changes if last else {}))
        store.append([header], synthetic.blocks(header))
    return results.read(folder).rows()


def test_other_labels_of_the_same_images_are_no_other_experiment(tmp_path):
    rows = measure(tmp_path)
    for space, expected in (("real", ""), ("imagenet", "source_sha256 of imagenet")):
        changed = {**rows[0].provenance, "source_sha256": "r", "label_space": space}
        other = dataclasses.replace(rows[0], provenance=changed)
        assert mixture.reason([*rows, other]).partition(" (")[0].endswith(expected)
        assert bool(mixture.reason([*rows, other])) == bool(expected)


def test_cells_of_one_experiment_are_combined(tmp_path):
    rows = measure(tmp_path)
    assert mixture.reason(rows) == ""
    lines = table.long(rows, run.summaries()).to_pylist()
    (lpp,) = [line for line in lines if line["metric"] == "lpp"]
    assert math.isfinite(lpp["value"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("weights_sha256", "other weights"),
        ("precision", "bfloat16"),
        ("seed", 1),
        ("source_sha256", "other images"),
        ("preprocessing", "none_224"),
    ],
)
def test_cells_of_two_experiments_are_not(tmp_path, field, value):
    rows = measure(tmp_path, **{field: value})
    assert len(rows) == len(synthetic.BENCHMARKS)
    assert field in mixture.reason(rows)
    assert str(value) in mixture.reason(rows)
    derived = [
        line
        for line in table.long(rows, run.summaries()).to_pylist()
        if line["metric"] in ("lpp", "hpp", "bias", "ratio")
    ]
    assert derived
    assert all(math.isnan(line["value"]) for line in derived)
    assert all(field in line["reason"] for line in derived)
