"""Are targets the classes of their rank, and margins those of the definition?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.attacks import targets

LOGITS = np.array([[0.5, 3, -1, 3, 2], [1, 1, 1, 1, 1], [-4, -3, -2, -1, 0]])
LOGITS = LOGITS.astype(np.float32)
RANKED = [[1, 3, 4, 0, 2], [0, 1, 2, 3, 4], [4, 3, 2, 1, 0]]


@pytest.mark.parametrize("rank", [1, 2, 3, 4, 5])
def test_ranks_descend_and_equal_logits_keep_the_order_of_classes(rank):
    found = targets.ranked(jnp.asarray(LOGITS), rank)
    np.testing.assert_array_equal(found[:, 0], np.array(RANKED)[:, rank - 1])
    single = targets.ranked(jnp.asarray(LOGITS[0]), rank)
    assert single.shape == (1,) and single.dtype == jnp.int32
    assert int(single[0]) == RANKED[0][rank - 1]


def test_rank_1_is_the_answer():
    logits = jax.random.randint(jax.random.key(0), (100, 7), 0, 4).astype(jnp.bfloat16)
    answers = logits.argmax(-1)
    np.testing.assert_array_equal(targets.ranked(logits, 1)[:, 0], answers)


def test_all_ranks_share_one_program():
    traces = []

    @jax.jit
    def ranked(logits, rank):
        traces.append(rank)
        return targets.ranked(logits, rank)

    logits = jnp.asarray(LOGITS)
    for rank in range(1, 6):
        found = ranked(logits, jnp.int32(rank))
        np.testing.assert_array_equal(found, targets.ranked(logits, rank))
    assert len(traces) == 1


def test_margins_are_the_lead_over_the_best_other_class():
    label = jnp.array([[3], [2], [0]])
    found = targets.margin(jnp.asarray(LOGITS), label)
    np.testing.assert_array_equal(found, [0, 0, -4])
    others = targets.margin(jnp.asarray(LOGITS), jnp.array([[4], [0], [4]]))
    np.testing.assert_array_equal(others, [-1, 0, 1])
    assert float(targets.margin(jnp.asarray(LOGITS[2]), label[1])) == -2
    leading = targets.of_class(jnp.asarray(LOGITS), label)
    np.testing.assert_array_equal(leading, [3, 1, -4])


@pytest.mark.parametrize("rank", [0, -1, 6])
def test_ranks_beyond_the_classes_are_refused(rank):
    with pytest.raises(ValueError, match=f"rank={rank} for 5 classes, expected 1 to 5"):
        targets.ranked(jnp.asarray(LOGITS), rank)


@pytest.mark.parametrize("rank", [1, 0, -3, True])
def test_ranks_that_are_no_target_are_refused(rank):
    with pytest.raises(ValueError, match=f"rank={rank}, expected an integer of at l"):
        targets.demand_rank(rank)


def test_targets_from_the_second_on_are_taken():
    targets.demand_rank(2)
    jax.jit(lambda rank: targets.demand_rank(rank) or rank)(jnp.int32(2))
