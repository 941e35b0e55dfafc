"""Is the pooling torch's, with torch's gradient, in both forms?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from biases_jax.models import max_pool

FORMS = (max_pool.by_window, max_pool.by_phases)
SIZES = ((8, 8), (7, 10), (5, 1))


def images(seed, h, w):
    """Few distinct values, as after a ReLU: most windows hold their maximum twice."""
    levels = np.random.default_rng(seed).integers(-2, 3, (2, h, w, 3))
    return np.maximum(levels, 0).astype(np.float32)


def window_maxima(x):
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    h, w = ((size + 1) // 2 for size in x.shape[1:3])
    rows = [
        [padded[:, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3].max((1, 2)) for j in range(w)]
        for i in range(h)
    ]
    return np.moveaxis(np.array(rows), 2, 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", SIZES)
def test_maxima_are_those_of_the_windows_also_below_zero(form, size):
    x = images(0, *size) - 5  # all negative: a border of zeros would win
    # Maxima are copies: no tolerance.
    np.testing.assert_array_equal(jax.jit(form)(x), window_maxima(x))
    assert window_maxima(x).max() < 0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", SIZES)
def test_ties_send_their_gradient_where_torch_does(form, size):
    x = images(1, *size)
    pooled = torch.tensor(x).permute(0, 3, 1, 2).requires_grad_()
    weights = np.random.default_rng(2).normal(size=window_maxima(x).shape)
    weights = weights.astype(np.float32)
    outputs = torch.nn.functional.max_pool2d(pooled, 3, 2, 1).permute(0, 2, 3, 1)
    (outputs * torch.tensor(weights)).sum().backward()
    gradient = jax.jit(jax.grad(lambda x: (form(x) * weights).sum()))(x)
    expected = pooled.grad.permute(0, 2, 3, 1)
    # Sums of at most four float32 numbers near 1, in any order.
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-6)


def test_phases_keep_the_dtype():
    x = jnp.asarray(images(3, 8, 8), jnp.bfloat16)
    assert max_pool.by_phases(x).dtype == jnp.bfloat16
    assert jax.grad(lambda x: max_pool.by_phases(x).sum())(x).dtype == jnp.bfloat16
