"""Are means over corruptions those of the published definitions, and whole or none?"""

import math

import numpy as np
import pyarrow as pa
import pytest

from biases_jax.corruptions import alexnet, means, names
from biases_jax.types import Cell

N = 400
GRID = {c: [f"c/{c}/{s}" for s in names.SEVERITIES] for c in names.FIFTEEN}
ALL = [name for own in GRID.values() for name in own]


def cell(right, records=True):
    def load():
        if not records:
            raise ValueError("got no records")
        return pa.table({"id": np.arange(len(right)), "correct": right})

    return Cell({"top1": int(right.sum()), "count": len(right)}, load)


def answers(rate, seed):
    """Return answers to images that differ in how hard they are in all cells."""
    hard = np.random.default_rng(0).normal(0, 0.2, N)
    return np.random.default_rng(seed).random(N) < rate + hard


def cells(records=True):
    """Return cells that are the harder, the later they stand in the grid."""
    rates = np.linspace(0.8, 0.1, len(ALL))
    found = {
        name: cell(answers(rate, seed), records)
        for seed, (name, rate) in enumerate(zip(ALL, rates, strict=True))
    }
    return found | {"clean": cell(answers(0.9, 999), records)}


def error(found, name):
    return 1 - found[name].sums["top1"] / N


def test_a_mean_is_of_all_cells_and_its_interval_is_of_the_images():
    found = cells()
    value = means.Means(found).accuracy(ALL)
    assert value.value == pytest.approx(
        100 - 100 * np.mean([error(found, n) for n in ALL])
    )
    right = np.mean([found[n].records()["correct"].to_numpy() for n in ALL], axis=0)
    half = 1.96 * right.std(ddof=1) / math.sqrt(N)
    # Four half examples that the interval adds move it by less than a tenth of it.
    assert value.high - value.low == pytest.approx(200 * half, rel=0.1)
    assert value.n == N


def test_the_corruption_error_is_the_mean_ratio_to_alexnets_errors():
    found = cells()
    ratios = [
        np.mean([error(found, n) for n in own]) / alexnet.ERRORS[c]
        for c, own in GRID.items()
    ]
    value = means.Means(found).corruption_error(GRID)
    assert value.value == pytest.approx(100 * np.mean(ratios), rel=1e-12)
    assert value.low < value.value < value.high


def test_the_relative_error_subtracts_the_clean_errors():
    found = cells()
    ratios = [
        (np.sum([error(found, n) for n in own]) - 5 * error(found, "clean"))
        / (5 * alexnet.ERRORS[c] - 5 * alexnet.CLEAN)
        for c, own in GRID.items()
    ]
    value = means.Means(found).corruption_error(GRID, "clean")
    assert value.value == pytest.approx(100 * np.mean(ratios), rel=1e-12)
    assert value.low < value.value < value.high


def test_alexnet_itself_has_errors_of_100():
    def no_records():
        raise ValueError("got no records")

    found = {
        name: Cell(
            {"top1": round(1e6 * (1 - alexnet.ERRORS[c])), "count": 10**6}, no_records
        )
        for c, own in GRID.items()
        for name in own
    }
    value = means.Means(found).corruption_error(GRID)
    assert value.value == pytest.approx(100, rel=1e-6)  # counts are rounded


def test_a_grid_that_is_not_whole_has_no_mean():
    found = cells()
    del found["c/fog/3"]
    value = means.Means(found).accuracy(ALL)
    assert math.isnan(value.value)
    assert value.reason == "incomplete: 1 of 75 cells are not measured: c/fog/3"
    assert math.isnan(means.Means(found).corruption_error(GRID).value)
    del found["clean"]
    relative = means.Means(found).corruption_error(GRID, "clean")
    assert relative.reason.endswith("c/fog/3, clean")
    nothing = means.Means({}).accuracy(ALL)
    assert nothing.reason.endswith("c/gaussian_noise/5 and 70 more")


def test_without_records_there_is_no_interval():
    value = means.Means(cells(records=False)).accuracy(ALL)
    assert not math.isnan(value.value) and math.isnan(value.low)
    value = means.Means(cells(records=False)).corruption_error(GRID, "clean")
    assert not math.isnan(value.value) and math.isnan(value.high)


def test_the_constants_are_the_means_of_the_published_errors_by_severity():
    # Of the paper's repository, severities 1 to 5.
    fog = (0.67474, 0.76050, 0.84378, 0.87260, 0.94500)
    jpeg = (0.51002, 0.54718, 0.57294, 0.65458, 0.74778)
    assert alexnet.ERRORS["fog"] == pytest.approx(np.mean(fog), abs=1e-6)
    assert alexnet.ERRORS["jpeg_compression"] == pytest.approx(np.mean(jpeg), abs=1e-6)
    assert set(alexnet.ERRORS) == set(names.NINETEEN)
    assert len(names.NINETEEN) == 19 and len(names.FIFTEEN) == 15
