"""Is the answer judged as NumPy and torch would?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from biases_jax import scores


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
