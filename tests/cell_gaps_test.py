"""Are gaps those of the pairs, and is their verdict no more sure than it may be?"""

import math

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from biases_jax import cell_gaps, paired
from biases_jax.cell_gaps import Gap, Gaps
from biases_jax.types import Cell, Value

N = 400


def cell(right, ids=None, records=True):
    def load():
        if not records:
            raise ValueError("got no records")
        found = np.arange(len(right)) if ids is None else ids
        return pa.table({"id": found, "correct": np.asarray(right, bool)})

    return Cell({"top1": int(np.sum(right)), "count": len(right)}, load)


def answers(lost, gained, n=N, both=100):
    """Return the answers of two cells with these discordant counts."""
    ours, theirs = np.zeros((2, n), bool)
    ours[: both + gained] = True
    theirs[:both] = True
    theirs[both + gained : both + gained + lost] = True
    return ours, theirs


def gaps_of(*pairs, **options):
    """Return the gaps of pairs of answers, and their names."""
    own = {
        f"{side}/{place}": cell(found, **options)
        for place, pair in enumerate(pairs)
        for side, found in zip(("made", "files"), pair, strict=True)
    }
    return Gaps(own), [(f"made/{i}", f"files/{i}") for i in range(len(pairs))]


def test_a_gap_has_its_paired_interval_and_p():
    found, [pair] = gaps_of(answers(lost=12, gained=31))
    gap = found.of(pair)
    assert gap.name == "made/0"
    assert gap.value == paired.difference(12, 31, N)
    assert gap.value.value == pytest.approx(100 * 19 / N)
    # 1e-12: the same test by the same library.
    assert gap.p == pytest.approx(stats.binomtest(12, 43).pvalue, rel=1e-12)
    assert gap.compared and gap.is_paired and gap.excludes_0


def test_cells_that_cannot_be_paired_have_a_gap_only():
    ours, theirs = answers(5, 45)
    pair = ("made", "files")
    for other, reason in (
        (cell(theirs, np.arange(N) + 1), "no interval: the ids are not the same"),
        (cell(theirs, records=False), "no interval: no records"),
    ):
        gap = Gaps({"made": cell(ours), "files": other}).of(pair)
        assert gap.value.value == pytest.approx(10) and gap.value.n == N
        assert gap.value.reason == reason
        assert gap.compared and not gap.is_paired and not gap.excludes_0


def test_what_was_not_measured_is_not_compared():
    gap = Gaps({"made": cell([True])}).of(("made", "files"))
    assert gap.value.reason == "not measured: files"
    assert not gap.compared and not gap.is_paired and not gap.excludes_0


@pytest.mark.parametrize("low, high, outside", [(-1, 2, 0), (1, 2, 1), (-2, -1, 1)])
def test_an_interval_excludes_0_on_either_side(low, high, outside):
    value = Value((low + high) / 2, float(low), float(high), 5)
    assert Gap("a", value, 0.5).excludes_0 == outside


def test_the_mean_of_one_pair_is_its_gap():
    found, [pair] = gaps_of(answers(12, 31))
    mean, gap = found.mean([pair]), found.of(pair)
    # 1e-9: the same moments, summed in another order.
    for field in ("value", "low", "high", "n"):
        assert getattr(mean, field) == pytest.approx(
            getattr(gap.value, field), rel=1e-9
        )


def test_the_mean_of_the_same_pair_again_is_no_surer():
    once, [pair] = gaps_of(answers(12, 31))
    often, pairs = gaps_of(*[answers(12, 31)] * 8)
    one, mean = once.mean([pair]), often.mean(pairs)
    assert (mean.value, mean.low, mean.high) == pytest.approx(
        (one.value, one.low, one.high), rel=1e-9
    )


def test_the_mean_has_the_interval_of_the_images_means():
    drawn = np.random.default_rng(0).random((5, 2, 20_000)) < 0.4
    found, pairs = gaps_of(*drawn)
    mean = found.mean(pairs)
    own = (drawn[:, 0].astype(int) - drawn[:, 1]).mean(0)
    reference = stats.ttest_1samp(own, 0).confidence_interval(0.95)
    # Of the examples that are added one of 20,001 has the largest difference, where
    # the mean square is 0.1: 0.03 % wider. Student's t is as wide to 0.01 %.
    width = 100 * (reference.high - reference.low)
    assert mean.high - mean.low == pytest.approx(width, rel=1e-3)
    assert mean.value == pytest.approx(100 * own.mean(), rel=1e-9)
    assert mean.n == 20_000


def test_the_interval_of_the_mean_holds_0_about_as_often_as_it_says():
    generator = np.random.default_rng(1)
    trials, held = 300, 0
    for _ in range(trials):
        hard = generator.normal(0.5, 0.3, 1000)  # in all cells
        same = generator.random((2, 1000))  # draws that severities share
        rates = np.clip(np.add.outer([0.2, 0.1, 0, -0.1, -0.2], hard), 0, 1)
        found, pairs = gaps_of(*(same < rates[:, None]))
        mean = found.mean(pairs)
        held += mean.low <= 0 <= mean.high
    # 95 % of 300 is 285, with a standard error of 4. Intervals that take the cells for
    # independent hold it in 71 % of such trials.
    assert 285 - 12 < held <= 285 + 12


def test_a_mean_with_a_pair_that_lacks_is_none():
    found, pairs = gaps_of(answers(1, 2), answers(3, 4))
    mean = found.mean([*pairs, ("made/9", "files/9")])
    assert math.isnan(mean.value)
    expected = "incomplete: 1 of 3 pairs of cells are not measured: made/9"
    assert mean.reason == expected
    many = [(f"made/{i}", f"files/{i}") for i in range(9)]
    assert found.mean(many).reason.endswith("made/5, made/6 and 2 more")


def test_a_mean_without_records_has_no_interval():
    found, pairs = gaps_of(answers(0, 8), answers(0, 16), records=False)
    mean = found.mean(pairs)
    assert mean.value == pytest.approx(3) and math.isnan(mean.low)
    assert mean.reason == "no interval: no records" and mean.n == N


def test_a_verdict_counts_what_differs():
    # By McNemar's test 0.0016, 0.043 and 1, by Holm's correction 0.0049, 0.086 and 1.
    counts = ((12, 34), (9, 21), (10, 10))
    found, pairs = gaps_of(*(answers(*pair) for pair in counts))
    gaps = [found.of(pair) for pair in pairs]
    assert [gap.p < 0.05 for gap in gaps] == [True, True, False]
    lacking = found.of(("made/9", "files/9"))
    alone = Gap("made/8", Value(-90.0, reason="no interval: no records"), math.nan)
    verdict = cell_gaps.verdict([*gaps, lacking, alone])
    assert verdict == (4, 3, 2, 1, alone)
    assert str(verdict) == (
        "2 of 3 intervals exclude 0 (0.2 would by chance), 1 differ after Holm's"
        " correction, 1 have no interval"
    )


def test_a_verdict_on_nothing_is_empty():
    verdict = cell_gaps.verdict([])
    assert verdict == (0, 0, 0, 0, None)
    assert str(verdict).startswith("0 of 0 intervals")


def test_where_nothing_differs_some_intervals_exclude_0_and_no_cell_differs():
    drawn = np.random.default_rng(2).random((145, 2, 2000)) < 0.6
    found, pairs = gaps_of(*drawn)
    verdict = cell_gaps.verdict(map(found.of, pairs))
    # 5 % of 145 are 7.25, with a standard error of 2.6.
    assert 7.25 - 8 < verdict.excluding < 7.25 + 8
    assert verdict.excluding > 0 and verdict.differing == 0
    assert verdict.paired == verdict.compared == 145
