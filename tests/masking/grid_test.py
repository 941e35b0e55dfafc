"""Are accuracies those of the cells, and is it told where they cannot be?"""

import math

import numpy as np
import pyarrow as pa

from biases_jax.masking import bootstrap, grid
from biases_jax.types import Cell

NAMES = ("free", *(f"f{band}/{sd}" for band in range(7) for sd in range(4)))


def cell(top1, count=1000, **more):
    return Cell({"top1": top1, "count": count, **more}, none)


def none():
    raise ValueError("1000 examples were measured with records turned off")


def complete(free=800):
    return {name: cell(free - 10 * i) for i, name in enumerate(NAMES)}


def of_noise_free(top1):
    return grid.measured({"free": cell(top1)}, NAMES)


def test_accuracies_lie_by_strength_and_band():
    found = grid.measured(complete(), NAMES)
    assert found.noise_free.tolist() == [80]
    assert found.masked.shape == (1, 4, 7)
    for band in range(7):
        for sd in range(4):
            assert found.masked[0, sd, band] == 80 - (1 + 4 * band + sd)


def test_only_judged_examples_count():
    cells = complete() | {"free": cell(400, scored=500)}
    assert grid.measured(cells, NAMES).noise_free.tolist() == [80]


def test_absent_cells_are_nan_and_leave_the_others():
    cells = complete()
    del cells["f2/3"]
    found = grid.measured(cells, NAMES).masked
    assert math.isnan(found[0, 3, 2])
    assert np.isnan(found).sum() == 1


def test_criteria_are_half_of_the_noise_free_accuracy_or_of_all():
    found = grid.measured(complete(), NAMES)
    assert found.criterion(relative=True).tolist() == [40]
    assert found.criterion(relative=False).tolist() == [50]


def near_chance(top1, cell=None):
    return grid.near_chance(of_noise_free(top1), cell)


def test_near_chance_is_below_ten_times_the_chance_of_1000_classes():
    assert near_chance(10) == ""
    reason = near_chance(9)
    assert reason.startswith("near chance without noise: 0.90 % right, at least 1 %")


def test_near_chance_is_what_always_the_same_answer_gives():
    """Of four classes, one has 40 %."""
    labels = pa.table({"imagenet": pa.array([7] * 4 + [1, 2, 3] * 2, pa.int32())})
    listed = Cell({}, none, lambda: labels)
    assert near_chance(401, listed) == ""
    assert near_chance(400, listed) == (
        "near chance without noise: 40.00 % right, always the same answer would be in "
        "40.00 %"
    )
    assert near_chance(400, Cell({}, none, none)) == ""  # nothing is known of classes


def test_below_is_what_does_not_pass_without_noise():
    assert grid.below(of_noise_free(501)) == ""
    reason = grid.below(of_noise_free(500))  # to equal is not to pass
    assert reason.startswith("below the threshold without noise: 50.00 % right")


def with_records(n=50):
    generator = np.random.default_rng(0)
    cells, right = {}, generator.random((len(NAMES), n)) < 0.6
    for name, correct in zip(NAMES, right, strict=True):
        table = pa.table({"id": np.arange(n, dtype=np.uint64), "correct": correct})
        cells[name] = Cell(
            {"top1": int(correct.sum()), "count": n}, lambda table=table: table
        )
    return cells, right


def test_resamples_are_of_the_records_in_the_grids_order():
    cells, right = with_records()
    found = grid.resampled(cells, NAMES)
    assert not found.remark
    tables = [cells[name].records() for name in NAMES]
    drawn = bootstrap.accuracies(tables)
    np.testing.assert_array_equal(found.grid.noise_free, drawn[:, 0])
    np.testing.assert_array_equal(found.grid.masked[:, 3, 2], drawn[:, 1 + 4 * 2 + 3])
    assert found.grid.masked.shape == (bootstrap.RESAMPLES, 4, 7)
    # The mean of 1000 resamples: five standard errors.
    error = 100 * 0.5 / np.sqrt(50 * 1000)
    assert np.abs(drawn.mean(axis=0) - 100 * right.mean(axis=1)).max() < 5 * error


def test_without_all_records_there_are_no_resamples():
    cells, _ = with_records()
    assert grid.resampled(complete(), NAMES) == grid.Resamples(
        remark="no interval: 1000 examples were measured with records turned off"
    )
    less = {name: cells[name] for name in NAMES[1:]}
    assert grid.resampled(less, NAMES).remark == "no interval: cells are missing"

    def gone():
        raise FileNotFoundError("the file is gone")

    gone_one = cells | {NAMES[5]: Cell(cells[NAMES[5]].sums, gone)}
    assert grid.resampled(gone_one, NAMES).remark == "no interval: the file is gone"
    other, _ = with_records(51)
    mixed = cells | {NAMES[5]: other[NAMES[5]]}
    assert "different images" in grid.resampled(mixed, NAMES).remark
