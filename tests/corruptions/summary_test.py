"""Are the numbers of a grid those of its cells, under their published names?"""

import math

import numpy as np
import pyarrow as pa
import pytest

from biases_jax import paired
from biases_jax.analysis import authors_columns
from biases_jax.benchmarks import imagenet_c, imagenet_c_tfds, imagenet_cbar
from biases_jax.corruptions import names, summary
from biases_jax.sources import catalog
from biases_jax.types import Cell


def no_records():
    raise ValueError("got no records")


def cells(family, accuracy):
    return {
        benchmark.name: Cell(
            {"top1": accuracy(benchmark.name), "top5": 90, "count": 100}, no_records
        )
        for benchmark in family.benchmarks()
    }


def by_group(name):
    """Return another accuracy for each group and severity."""
    _, corruption, severity = name.split("/")
    group = [corruption in own for own in names.IMAGENET_C.values()].index(True)
    return 80 - 10 * group - 2 * int(severity)


@pytest.mark.parametrize("family", [imagenet_c, imagenet_c_tfds])
def test_means_are_of_fifteen_nineteen_and_groups(family):
    values = family.summarize(cells(family, by_group))
    found = {n.partition("/")[2]: v.value for n, v in values.items()}
    # 6 is the mean of 2 * severity; groups have 3, 4, 4, 4 and 4 corruptions.
    for group, mean in zip(names.IMAGENET_C, (74, 64, 54, 44, 34), strict=True):
        assert found[f"mean_{group}"] == pytest.approx(mean)
    fifteen = 3 * 74 + 4 * (64 + 54 + 44)
    assert found["mean15"] == pytest.approx(fifteen / 15)
    assert found["mean19"] == pytest.approx((fifteen + 4 * 34) / 19)
    assert found["fog/mean"] == pytest.approx(54)
    assert found["fog/ce"] == pytest.approx(100 * 0.46 / 0.819324)
    assert found["fog/2/top1"] == pytest.approx(56)
    assert math.isnan(found["relative_mce"])  # nothing clean was measured
    clean = {summary.CLEAN: Cell({"top1": 80, "count": 100}, no_records)}
    values = family.summarize(cells(family, by_group) | clean)
    assert 0 < values[f"{family.FAMILY}/relative_mce"].value


def test_the_ten_have_one_mean():
    values = imagenet_cbar.summarize(
        cells(imagenet_cbar, lambda name: 10 * int(name[-1]))
    )
    assert values["imagenet_cbar/mean"].value == pytest.approx(30)
    assert values["imagenet_cbar/sparkles/mean"].value == pytest.approx(30)


@pytest.mark.parametrize("family", [imagenet_c, imagenet_c_tfds, imagenet_cbar])
def test_each_cell_is_a_set_of_its_own(family):
    found = list(family.benchmarks())
    assert len(found) == (50 if family is imagenet_cbar else 95)
    assert all(benchmark.source == benchmark.name for benchmark in found)
    assert {benchmark.name for benchmark in found} <= set(catalog.SOURCES)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("imagenet_c/mean19", "top1_acc/imagenet-c"),
        ("imagenet_cbar/mean", "top1_acc/imagenet-cbar"),
        ("imagenet_c/fog/3/top1", "top1_acc/fog_3"),
        ("imagenet_cbar/sparkles/5/top1", "top1_acc/sparkles_5"),
        ("imagenet_c/fog/mean", ""),
        ("imagenet_c/fog/3/top5", ""),
        ("imagenet_c_tfds/fog/3/top1", ""),
        ("imagenet_c/mean15", "imagenet_c/mean15"),
        ("imagenet_c_tfds/mean19", "imagenet_c_tfds/mean19"),
    ],
)
def test_the_authors_columns_are_of_the_published_files(name, column):
    assert authors_columns.column(name).name == column


def answered(right, ids=None):
    def records():
        found = np.arange(len(right)) if ids is None else ids
        return pa.table({"id": found, "correct": np.array(right)})

    return Cell({"top1": sum(right), "count": len(right)}, records)


def gap(ours, theirs):
    cells = {"made/fog/2": ours, "files/fog/2": theirs}
    cells = {name: found for name, found in cells.items() if found}
    return summary.gaps(cells, "made", "files", ["fog"])["made/fog/2/gap"]


def test_a_gap_is_of_the_same_images():
    ours, theirs = [True, True, False, True], [True, False, True, False]
    value = gap(answered(ours), answered(theirs))
    assert value == paired.difference(lost=1, gained=2, n=4)
    assert value.value == 25


def test_paired_gaps_have_a_p_and_the_others_none():
    ours, theirs = [True] * 5 + [False], [False] * 6
    own = {f"made/fog/{s}": answered(ours) for s in names.SEVERITIES}
    own |= {f"files/fog/{s}": answered(theirs) for s in (1, 2, 3, 4)}
    own["files/fog/5"] = answered(theirs, np.arange(6) + 9)
    values = summary.gaps(own, "made", "files", ["fog"])
    found = {name: v for name, v in values.items() if name.endswith("/gap_p")}
    assert set(found) == {f"made/fog/{s}/gap_p" for s in (1, 2, 3, 4)}
    # Five tosses of a coin fall alike in 2 of 32 cases.
    assert found["made/fog/1/gap_p"].value == pytest.approx(2 / 32)
    assert found["made/fog/1/gap_p"].n == 6


def test_the_mean_gap_is_of_all_cells_or_none():
    own = {f"made/fog/{s}": answered([True] * s + [False] * 5) for s in range(1, 6)}
    own |= {f"files/fog/{s}": answered([False] * (s + 5)) for s in range(1, 6)}
    mean = summary.gaps(own, "made", "files", ["fog"])["made/gap"]
    assert mean.value == pytest.approx(
        100 * np.mean([s / (s + 5) for s in range(1, 6)])
    )
    assert math.isnan(mean.low) and mean.reason.startswith("no interval")
    del own["files/fog/3"]
    mean = summary.gaps(own, "made", "files", ["fog"])["made/gap"]
    assert math.isnan(mean.value) and mean.reason.endswith("not measured: made/fog/3")


def test_a_gap_without_common_records_has_no_interval():
    ours, theirs = [True, True], [True, False]
    for other in (
        answered(theirs, np.array([5, 6])),
        Cell({"top1": 1, "count": 2}, no_records),
    ):
        value = gap(answered(ours), other)
        assert value.value == 50 and math.isnan(value.low)
        assert value.reason.startswith("no interval")


def test_a_gap_of_what_was_not_measured_says_so():
    assert gap(answered([True]), None).reason == "not measured: files/fog/2"
    assert gap(None, None).reason == "not measured: made/fog/2, files/fog/2"
