"""Is the answer judged as NumPy and torch would?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from biases_jax import labels, scores

SUBSETS = {"imagenet_a": labels.IMAGENET_A, "imagenet_r": labels.IMAGENET_R}
BOTH = pytest.mark.parametrize("classes", SUBSETS)


def test_topk_agrees_with_torch_on_random_logits():
    generator = np.random.default_rng(0)
    logits = generator.normal(size=(200, 1000)).astype(np.float32)
    labels = generator.integers(0, 1000, 200).astype(np.int32)
    labels[:100] = np.argsort(-logits[:100], axis=1)[np.arange(100), np.arange(100) % 7]
    sums, record = jax.vmap(scores.TopK())(
        jnp.array(logits), jnp.array(labels)[:, None]
    )
    best = torch.topk(torch.tensor(logits), 5).indices.numpy()
    np.testing.assert_array_equal(record.best5, best)
    np.testing.assert_array_equal(record.predicted, best[:, 0])
    np.testing.assert_array_equal(sums["top1"], best[:, 0] == labels)
    np.testing.assert_array_equal(sums["top5"], (best == labels[:, None]).any(1))
    assert sums["top1"].sum() >= 14
    assert sums["top5"].sum() >= 70
    np.testing.assert_array_equal(record.correct, sums["top1"])
    loss = torch.nn.functional.cross_entropy(
        torch.tensor(logits), torch.tensor(labels).long(), reduction="none"
    )
    # A few units in the last place of losses around 8.
    np.testing.assert_allclose(record.negative_log_likelihood, loss, rtol=1e-6)
    ordered = np.sort(logits, axis=1)
    np.testing.assert_array_equal(record.margin, ordered[:, -1] - ordered[:, -2])


def test_ties_go_to_the_lower_class():
    _, record = scores.TopK()(jnp.array([1.0, 3.0, 3.0, 0.0]), jnp.array([2]))
    assert record.best5.tolist() == [1, 2, 0, 3, -1]
    assert not record.correct
    assert record.margin == 0


def test_small_networks_have_fewer_than_five_best():
    sums, record = scores.TopK()(jnp.array([0.0, 1.0]), jnp.array([0]))
    assert record.best5.tolist() == [1, 0, -1, -1, -1]
    assert (int(sums["top1"]), int(sums["top5"])) == (0, 1)


@pytest.mark.parametrize("label", [-1, 2, 999])
def test_a_label_that_is_no_class_is_wrong_and_has_no_likelihood(label):
    sums, record = scores.TopK()(jnp.array([0.0, 1.0]), jnp.array([label]))
    assert (int(sums["top1"]), int(sums["top5"])) == (0, 0)
    assert np.isnan(record.negative_log_likelihood)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_broken_logits_are_counted(bad):
    sums, _ = scores.TopK()(jnp.array([0.0, bad, 1.0]), jnp.array([0]))
    assert sums["nonfinite"] == 1


def outside(classes):
    return next(i for i in range(1000) if i not in SUBSETS[classes])


def ranked(*best):
    """Return logits whose best classes are these, best first."""
    logits = np.zeros(1000, np.float32)
    logits[list(best)] = 10 - np.arange(len(best), dtype=np.float32)
    return jnp.asarray(logits)


@BOTH
def test_the_best_of_the_200_counts_under_one_protocol_only(classes):
    inside = SUBSETS[classes][17]
    logits, label = ranked(outside(classes), inside), jnp.array([inside])
    sums, record = scores.Subset(classes)(logits, label)
    assert (int(sums["top1"]), int(sums["scored"]), int(sums["count"])) == (1, 1, 1)
    assert record.predicted == inside and record.correct
    assert record.best5[0] == outside(classes)
    assert record.margin == 9.0
    for full in (scores.TopK(), scores.Within(classes)):
        sums, record = full(logits, label)
        assert (int(sums["top1"]), int(sums["top5"])) == (0, 1)
        assert record.predicted == outside(classes) and record.margin == 1.0


@BOTH
@pytest.mark.parametrize("score", [scores.Subset, scores.Within])
def test_labels_are_in_0_to_999_and_are_not_mapped_twice(score, classes):
    members = np.array(SUBSETS[classes], np.int32)
    logits = np.zeros((200, 1000), np.float32)
    logits[np.arange(200), members] = 9
    judge = jax.jit(jax.vmap(score(classes)))
    sums, record = judge(logits, members[:, None])
    assert sums["top1"].sum() == sums["scored"].sum() == 200
    np.testing.assert_array_equal(record.predicted, members)
    places = np.arange(200, dtype=np.int32)
    assert (places != members).all()
    assert judge(logits, places[:, None])[0]["top1"].sum() == 0


@BOTH
def test_the_decision_in_the_subset_is_that_of_numpy(classes):
    generator = np.random.default_rng(1)
    logits = generator.normal(size=(300, 1000)).astype(np.float32)
    label = generator.choice(SUBSETS[classes], 300).astype(np.int32)
    label[:100] = generator.integers(0, 1000, 100)
    sums, record = jax.jit(jax.vmap(scores.Subset(classes)))(logits, label[:, None])
    members = np.array(SUBSETS[classes])
    order = members[np.argsort(-logits[:, members], axis=1)]
    scored = np.isin(label, members)
    assert 200 <= scored.sum() < 300
    np.testing.assert_array_equal(record.predicted, order[:, 0])
    np.testing.assert_array_equal(sums["scored"], scored)
    np.testing.assert_array_equal(sums["top1"], order[:, 0] == label)
    np.testing.assert_array_equal(sums["top5"], (order[:, :5] == label[:, None]).any(1))
    assert int(sums["top5"].sum()) > 0
    ordered = np.sort(logits[:, members], axis=1)
    np.testing.assert_array_equal(record.margin, ordered[:, -1] - ordered[:, -2])
    best = np.argsort(-logits, axis=1)[:, :5]
    np.testing.assert_array_equal(record.best5, best)
    loss = np.log(np.exp(logits).sum(1)) - logits[np.arange(300), label]
    # A few units in the last place of losses around 8.
    np.testing.assert_allclose(record.negative_log_likelihood, loss, rtol=1e-6)


@BOTH
def test_clean_twins_score_only_images_of_the_200_classes(classes):
    label = jnp.array([outside(classes)])
    for score in (scores.Subset(classes), scores.Within(classes)):
        sums, record = score(ranked(outside(classes)), label)
        rest = {name: int(value) for name, value in sums.items()}
        expected = {"count": 1, "scored": 0, "top1": 0, "top5": 0, "nonfinite": 0}
        assert rest == expected
        assert not record.correct


def test_the_subsets_of_a_and_r_are_not_mixed_up():
    only_a = next(i for i in labels.IMAGENET_A if i not in labels.IMAGENET_R)
    label = jnp.array([only_a])
    scored = {
        classes: int(scores.Subset(classes)(ranked(only_a), label)[0]["scored"])
        for classes in SUBSETS
    }
    assert scored == {"imagenet_a": 1, "imagenet_r": 0}


@pytest.mark.parametrize("classes", [10, 999, 1001])
@pytest.mark.parametrize("score", [scores.Subset, scores.Within])
def test_a_model_of_other_classes_is_refused(score, classes):
    with pytest.raises(ValueError, match=f"{classes} classes.*1000.*imagenet_a"):
        score("imagenet_a")(jnp.zeros(classes), jnp.array([0]))


def test_any_of_several_labels_is_right():
    judge = jax.jit(scores.AnyOf())
    logits = ranked(4, 8, 15, 16, 23, 42)
    cases = {  # labels to top1, top5, scored
        (4, -1, -1): (1, 1, 1),
        (99, 4, -1): (1, 1, 1),
        (99, 23, 98): (0, 1, 1),
        (42, 99, 98): (0, 0, 1),
        (-1, -1, -1): (0, 0, 0),
    }
    for label, expected in cases.items():
        sums, record = judge(logits, jnp.array(label))
        found = tuple(int(sums[name]) for name in ("top1", "top5", "scored"))
        assert found == expected, label
        assert int(sums["count"]) == 1 and record.predicted == 4
        assert bool(record.correct) == bool(expected[0])
        odds = np.exp(np.asarray(logits, np.float64))
        known = [i for i in label if i >= 0]
        loss = -np.log(odds[known].sum() / odds.sum()) if known else np.nan
        # float32 sums of a thousand exponentials.
        np.testing.assert_allclose(record.negative_log_likelihood, loss, rtol=1e-5)


def test_padding_is_no_class_even_for_networks_with_fewer_than_five():
    sums, record = scores.AnyOf()(jnp.array([0.0, 1.0]), jnp.array([-1, -1]))
    assert (int(sums["top5"]), int(sums["scored"])) == (0, 0)
    assert np.isnan(record.negative_log_likelihood)
    for label, top5 in ((0, 1), (7, 0)):
        sums, _ = scores.AnyOf()(jnp.array([0.0, 1.0]), jnp.array([label, -1]))
        found = tuple(int(sums[name]) for name in ("top1", "top5", "scored"))
        assert found == (0, top5, 1)


def test_scores_are_told_apart_by_their_repr():
    assert repr(scores.TopK()) == "TopK(label='imagenet')"
    made = [scores.TopK(), scores.Within("imagenet_a"), scores.AnyOf("imagenet")]
    made += [scores.Subset("imagenet_a"), scores.Subset("imagenet_r")]
    assert len({repr(score) for score in made}) == len(made)
