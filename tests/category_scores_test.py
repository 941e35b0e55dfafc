"""Is the decision among sixteen categories that of model-vs-human?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import category_scores, labels

MEMBERS = labels.CATEGORY_MEMBERS
JUDGES = {
    readout: jax.jit(jax.vmap(category_scores.Category(readout=readout)))
    for readout in ("mean", "sum")
}


def reference(logits, readout):
    """Return each category's mean probability, as the authors' formula in float64.

    Or the sum of its members' probabilities.
    """
    logits = logits.astype(np.float64)
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities = exponentials / exponentials.sum(-1, keepdims=True)
    reduce = {"mean": np.mean, "sum": np.sum}[readout]
    return np.stack([reduce(probabilities[:, list(m)], -1) for m in MEMBERS], -1)


def score(logits, category=0, readout="mean"):
    return category_scores.Category(readout=readout)(
        jnp.asarray(logits, jnp.float32), jnp.array([category])
    )


def logits_of(members, background=-50.0):
    """Return logits that are the given numbers at the given classes."""
    logits = np.full(1000, background, np.float32)
    for index, value in members.items():
        logits[index] = value
    return logits


def test_the_categories_are_those_of_model_vs_human():
    assert labels.CATEGORIES[0] == "airplane" and labels.CATEGORIES[-1] == "truck"
    assert list(labels.CATEGORIES) == sorted(labels.CATEGORIES)
    sizes = [1, 4, 2, 49, 5, 7, 3, 6, 4, 3, 109, 2, 2, 1, 1, 8]
    assert [len(members) for members in MEMBERS] == sizes
    flat = [index for members in MEMBERS for index in members]
    assert len(set(flat)) == len(flat) == 207
    assert all(0 <= index < 1000 for index in flat)


@pytest.mark.parametrize("readout", JUDGES)
@pytest.mark.parametrize("scale", [0.5, 3, 30])
def test_the_decision_is_that_of_probabilities_in_float64(scale, readout):
    generator = np.random.default_rng(0)
    logits = scale * generator.normal(size=(500, 1000)).astype(np.float32)
    if readout == "sum":  # else the 109 breeds of dogs win always
        for members in MEMBERS:
            logits[:, list(members)] -= np.float32(np.log(len(members)))
    truth = generator.integers(0, 16, (500, 1)).astype(np.int32)
    sums, record = JUDGES[readout](logits, truth)
    probabilities = reference(logits, readout)
    order = np.argsort(-probabilities, axis=1)
    best = np.take_along_axis(probabilities, order[:, :2], 1)
    margins = np.log(best[:, 0] / best[:, 1])
    # float32 sums of up to 109 exponentials of numbers near 100.
    np.testing.assert_allclose(record.margin, margins, rtol=1e-4, atol=1e-4)
    certain = margins > 1e-4
    assert certain.mean() > 0.98
    np.testing.assert_array_equal(record.predicted[certain], order[certain, 0])
    hits = order[:, :5] == truth
    np.testing.assert_array_equal(sums["top1"][certain], hits[certain, 0])
    assert abs(int(sums["top5"].sum()) - int(hits.any(1).sum())) <= 1
    np.testing.assert_array_equal(record.correct, sums["top1"] == 1)
    assert sums["count"].sum() == 500 and "scored" not in sums
    assert len(np.unique(record.predicted)) > 8
    np.testing.assert_array_equal(record.best5, np.argsort(-logits, axis=1)[:, :5])
    assert np.isnan(record.negative_log_likelihood).all()


def test_it_is_the_mean_of_members_not_their_sum_nor_their_best():
    airplane, bears = MEMBERS[0][0], MEMBERS[1]
    # Four bears of 1.2 units have a mean of 1.2, more than the airplane's 1.
    four = {index: np.log(1.2) for index in bears}
    _, record = score(logits_of({airplane: 0.0} | four))
    assert record.predicted == 1
    # One bear of 3 units has a mean of 0.75, less than the airplane's 1.
    _, record = score(logits_of({airplane: 0.0, bears[0]: np.log(3)}))
    assert record.predicted == 0
    assert float(record.margin) == pytest.approx(np.log(1 / 0.75), rel=1e-5)


def test_the_sum_of_members_is_another_read_out_that_is_named():
    airplane, bears = MEMBERS[0][0], MEMBERS[1]
    # Two bears of 0.6 units: 1.2 together, 0.3 in the mean of the four.
    logits = logits_of({airplane: 0.0, bears[0]: np.log(0.6), bears[2]: np.log(0.6)})
    assert score(logits)[1].predicted == 0
    _, record = score(logits, readout="sum")
    assert record.predicted == 1
    assert float(record.margin) == pytest.approx(np.log(1.2), rel=1e-5)
    assert "readout='mean'" in repr(category_scores.Category())
    assert "readout='sum'" in repr(category_scores.Category(readout="sum"))


def test_an_unknown_read_out_is_refused():
    with pytest.raises(ValueError, match="'median'.*'mean', 'sum'"):
        category_scores.demand_readout("median")


CONDITIONS = ("c100", "0.5", "1-10-10")


def by_condition(logits, category, condition, readout="mean"):
    score = category_scores.CategoryByCondition(CONDITIONS, readout)
    label = jnp.array([category, condition])
    return score(jnp.asarray(logits, jnp.float32), label)


@pytest.mark.parametrize("readout", JUDGES)
@pytest.mark.parametrize("place", range(3))
def test_each_condition_is_counted_apart_and_judged_alike(readout, place):
    generator = np.random.default_rng(place)
    logits = 3 * generator.normal(size=(40, 1000)).astype(np.float32)
    decided = reference(logits, readout).argmax(-1)
    for number, row in enumerate(logits):
        category = int(decided[number]) if number % 2 else 0
        sums, record = by_condition(row, category, place, readout)
        plain, same = score(row, category, readout)
        assert {name: int(sums[name]) for name in plain} == {
            name: int(value) for name, value in plain.items()
        }
        jax.tree.map(np.testing.assert_array_equal, record, same)
        for other, name in enumerate(CONDITIONS):
            assert int(sums[f"count/{name}"]) == (other == place)
            right = int(plain["top1"]) * (other == place)
            assert int(sums[f"top1/{name}"]) == right
    assert set(sums) == set(plain) | {
        f"{what}/{name}" for what in ("count", "top1") for name in CONDITIONS
    }


def test_a_condition_is_asked_for_with_the_category():
    assert category_scores.CategoryByCondition(("a",)).label == "category_condition"
    with pytest.raises(ValueError, match=r"shape \(1,\), expected \(2,\): a category"):
        category_scores.CategoryByCondition(("a",))(jnp.zeros(1000), jnp.array([3]))


def test_padding_is_of_no_condition():
    sums, _ = by_condition(np.zeros(1000), -1, -1)
    assert sum(int(sums[f"count/{name}"]) for name in CONDITIONS) == 0


def test_ties_go_to_the_earlier_category():
    knife, oven = labels.CATEGORIES.index("knife"), labels.CATEGORIES.index("oven")
    tie = {MEMBERS[knife][0]: 2.5, MEMBERS[oven][0]: 2.5}
    sums, record = score(logits_of(tie), knife)
    assert record.predicted == knife and record.margin == 0 and sums["top1"] == 1
    everything = np.zeros(1000, np.float32)
    sums, record = score(everything, 3)
    assert record.predicted == 0
    assert (int(sums["top1"]), int(sums["top5"])) == (0, 1)


def test_a_sure_answer_outside_the_sixteen_leaves_their_order_as_it_is():
    outside = next(i for i in range(1000) if all(i not in m for m in MEMBERS))
    logits = logits_of({outside: 300.0, MEMBERS[13][0]: -20.0, MEMBERS[14][0]: -21.0})
    _, record = score(logits, 13)
    assert record.predicted == 13 and record.correct
    assert float(record.margin) == pytest.approx(1, rel=1e-5)
    assert record.best5[0] == outside


def test_a_lonely_category_has_a_finite_margin():
    _, record = score(logits_of({MEMBERS[0][0]: 500.0}))
    assert record.correct and np.isfinite(record.margin) and record.margin > 80


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_broken_logits_are_counted(bad):
    sums, _ = score(logits_of({7: bad}))
    assert sums["nonfinite"] == 1


@pytest.mark.parametrize("classes", [16, 999, 1001])
def test_a_model_of_other_classes_is_refused(classes):
    with pytest.raises(ValueError, match=f"{classes} classes.*1000.*sixteen"):
        score(np.zeros(classes))
