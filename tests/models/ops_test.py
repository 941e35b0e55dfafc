"""Are micro-batches invisible, and is the right table picked?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from biases_jax.models import ops


def brightness(images):
    return jnp.stack([images.sum((1, 2, 3)), (images**2).sum((1, 2, 3))], axis=1)


def images(count):
    rng = np.random.default_rng(count)
    return jnp.asarray(rng.integers(0, 9, (count, 4, 4, 3)), jnp.float32)


@pytest.mark.parametrize("count", [1, 3, 4, 5, 9, 16])
def test_micro_batches_change_neither_outputs_nor_gradients(count):
    x = images(count)
    weights = jnp.arange(2.0 * count).reshape(count, 2)

    def loss(x, size):
        return (ops.in_micro_batches(brightness, x, size) * weights).sum()

    # Small whole numbers: float32 sums of them are exact.
    np.testing.assert_array_equal(ops.in_micro_batches(brightness, x, 4), brightness(x))
    np.testing.assert_array_equal(jax.grad(loss)(x, 4), jax.grad(loss)(x, 0))


@pytest.mark.parametrize(
    ("count", "size", "seen"), [(3, 4, 3), (4, 4, 4), (5, 4, 3), (9, 4, 3), (9, 0, 9)]
)
def test_micro_batches_are_of_equal_size(count, size, seen):
    sizes = []

    def spy(x):
        sizes.append(x.shape[0])
        return brightness(x)

    ops.in_micro_batches(spy, images(count), size)
    assert set(sizes) == {seen}


def test_the_table_follows_the_backend(monkeypatch):
    assert ops.for_backend() is ops.CPU
    monkeypatch.setattr(jax, "default_backend", lambda: "tpu")
    assert ops.for_backend() is ops.PLAIN


def test_relu_by_mask_is_relu_with_no_gradient_at_zero():
    x = jnp.asarray([-1.0, 0.0, 2.0])
    np.testing.assert_array_equal(ops.relu_by_mask(x), [0, 0, 2])
    gradient = jax.grad(lambda x: ops.relu_by_mask(x).sum())(x)
    np.testing.assert_array_equal(gradient, [0, 0, 1])


@pytest.mark.parametrize("side", [7, 8, 14])
def test_small_3x3_convolutions_are_the_large_ones(side):
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.normal(size=(1, side, side, 3)), jnp.float32)
    kernel = jnp.asarray(rng.normal(size=(3, 3, 3, 2)), jnp.float32)
    for stride in (1, 2):
        arguments = (x, kernel, stride, lax.Precision.HIGHEST)
        result, expected = ops.conv3x3_on_cpu(*arguments), ops.PLAIN.conv3x3(*arguments)
        # Float32 sums of 27 products near 1.
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5)
