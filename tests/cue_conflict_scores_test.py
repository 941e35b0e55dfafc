"""Are decisions for shape and for texture counted as Geirhos et al. count them?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import category_scores, cue_conflict_scores, labels
from biases_jax.types import Score

READOUTS = ("mean", "sum")
CUES = ("shape", "texture", "scored", "count")


def logits_for(category):
    """Return logits that decide for a category, under either read-out."""
    logits = np.zeros(1000, np.float32)
    logits[list(labels.CATEGORY_MEMBERS[category])] = 9
    return jnp.asarray(logits)


def pair(shape, texture):
    return jnp.array([labels.CATEGORIES.index(cue) for cue in (shape, texture)])


def counts(decided, shape, texture, readout="mean"):
    score = cue_conflict_scores.CueConflict(readout=readout)
    category = labels.CATEGORIES.index(decided)
    sums, record = score(logits_for(category), pair(shape, texture))
    assert record.predicted == category
    assert bool(record.correct) == bool(sums["top1"])
    return {name: int(value) for name, value in sums.items()}


@pytest.mark.parametrize("readout", READOUTS)
def test_six_images_counted_by_hand(readout):
    images = [
        ("cat", "cat", "dog"),
        ("dog", "cat", "dog"),
        ("dog", "dog", "cat"),
        ("bear", "bear", "bear"),  # no conflict
        ("boat", "car", "boat"),
        ("oven", "cat", "dog"),  # neither cue
    ]
    each = [counts(*image, readout) for image in images]
    total = {name: sum(c[name] for c in each) for name in each[0]}
    assert {name: total[name] for name in CUES} == {
        "shape": 2,
        "texture": 2,
        "scored": 5,
        "count": 6,
    }
    assert total["top1"] == 2 and total["nonfinite"] == 0
    assert [c["shape"] for c in each] == [1, 0, 1, 0, 0, 0]
    assert [c["texture"] for c in each] == [0, 1, 0, 0, 1, 0]


def test_decisions_are_also_counted_by_the_category_of_the_shape():
    images = [("cat", "cat", "dog"), ("dog", "cat", "dog"), ("boat", "car", "boat")]
    images += [("bear", "bear", "bear"), ("oven", "cat", "dog")]
    each = [counts(*image) for image in images]
    found = {
        (cue, category): sum(c[f"{cue}/{category}"] for c in each)
        for cue in ("shape", "texture")
        for category in labels.CATEGORIES
    }
    assert {key: count for key, count in found.items() if count} == {
        ("shape", "cat"): 1,
        ("texture", "cat"): 1,
        ("texture", "car"): 1,
    }


@pytest.mark.parametrize("readout", READOUTS)
@pytest.mark.parametrize("scale", [1, 10])
def test_counts_are_those_of_a_reference_in_float64(readout, scale):
    generator = np.random.default_rng(1)
    logits = scale * generator.normal(size=(800, 1000)).astype(np.float32)
    # Lift one member of a random category, so that all sixteen are decided for.
    lifted = [members[-1] for members in labels.CATEGORY_MEMBERS]
    logits[np.arange(800), generator.choice(lifted, 800)] += 6 * scale
    exponentials = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    reduce = {"mean": np.mean, "sum": np.sum}[readout]
    strengths = np.stack(
        [reduce(exponentials[:, list(m)], 1) for m in labels.CATEGORY_MEMBERS], 1
    )
    ordered = np.sort(strengths, 1)
    certain = np.log(ordered[:, -1] / ordered[:, -2]) > 1e-4  # float32 may swap others
    decided = strengths.argmax(1)
    truth = generator.integers(0, 16, (800, 2)).astype(np.int32)
    truth[:250, 0] = decided[:250]
    truth[250:500, 1] = decided[250:500]
    score = cue_conflict_scores.CueConflict(readout=readout)
    sums, record = jax.jit(jax.vmap(score))(logits, truth)
    conflict = truth[:, 0] != truth[:, 1]
    expected = {
        "shape": conflict & (decided == truth[:, 0]),
        "texture": conflict & (decided == truth[:, 1]),
        "scored": conflict,
    }
    assert certain.mean() > 0.98 and conflict.mean() < 0.98
    for name, flags in expected.items():
        assert 100 < flags[certain].sum()
        np.testing.assert_array_equal(sums[name][certain], flags[certain])
    np.testing.assert_array_equal(record.correct, sums["shape"])
    np.testing.assert_array_equal(record.predicted[certain], decided[certain])


def test_the_accuracy_over_all_pairs_is_another_score():
    every = category_scores.Category("shape_texture")
    for texture in ("bear", "cat"):
        sums, _ = every(logits_for(1), pair("bear", texture))
        assert sums["top1"] == 1


def test_the_read_out_decides_and_is_named():
    logits = np.full(1000, -50, np.float32)
    logits[labels.CATEGORY_MEMBERS[0][0]] = 0
    logits[list(labels.CATEGORY_MEMBERS[1][:2])] = np.log(0.6)
    truth = jnp.array([0, 1])
    found = {}
    for readout in READOUTS:
        score = cue_conflict_scores.CueConflict(readout=readout)
        sums, _ = score(jnp.asarray(logits), truth)
        found[readout] = (int(sums["shape"]), int(sums["texture"]))
        assert f"readout={readout!r}" in repr(score)
    assert found == {"mean": (1, 0), "sum": (0, 1)}
    assert cue_conflict_scores.CueConflict().readout == "mean"
    assert isinstance(cue_conflict_scores.CueConflict(), Score)


@pytest.mark.parametrize("truth", [(-1, 3), (3, -1), (-1, -1)])
def test_padding_is_not_scored(truth):
    sums, record = cue_conflict_scores.CueConflict()(logits_for(3), jnp.array(truth))
    assert [int(sums[name]) for name in CUES] == [0, 0, 0, 1]
    assert not record.correct


def test_broken_logits_are_counted():
    logits = logits_for(3).at[7].set(jnp.nan)
    sums, _ = cue_conflict_scores.CueConflict()(logits, jnp.array([3, 4]))
    assert sums["nonfinite"] == 1


def test_labels_that_are_no_pair_and_other_models_are_refused():
    score = cue_conflict_scores.CueConflict()
    with pytest.raises(ValueError, match=r"shape \(1,\), expected \(2,\)"):
        score(logits_for(3), jnp.array([3]))
    with pytest.raises(ValueError, match="16 classes.*1000.*sixteen"):
        score(jnp.zeros(16), jnp.array([3, 4]))
    with pytest.raises(ValueError, match="'best'.*'mean', 'sum'"):
        category_scores.demand_readout("best")
