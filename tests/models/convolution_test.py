"""Do all forms of a convolution compute torch's, gradients included?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from biases_jax.models import checkpoints, convolution, resnet

HIGHEST = lax.Precision.HIGHEST
# Form, kernel size, stride, height, width: as in the network, and an uneven size.
CASES = (
    (convolution.direct, 7, 2, 16, 16),
    (convolution.direct, 3, 2, 7, 9),
    (convolution.canonical, 7, 2, 16, 16),
    (convolution.canonical, 7, 4, 16, 16),
    (convolution.canonical, 3, 1, 8, 8),
    (convolution.canonical, 3, 2, 8, 8),
    (convolution.canonical, 3, 2, 7, 9),
    (convolution.by_columns, 3, 1, 7, 7),
    (convolution.by_columns, 3, 2, 8, 8),
    (convolution.by_columns, 3, 2, 7, 9),
    (convolution.by_product, 1, 1, 6, 6),
    (convolution.by_product, 1, 2, 7, 6),
)


def arrays(size, h, w, dtype=np.float32):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2, h, w, 5)).astype(dtype)
    return x, rng.normal(size=(size, size, 5, 4)).astype(dtype)


def padded_sums(x, kernel, stride):
    """Torch's definition: (k - 1) / 2 zeros on every side, then strided windows."""
    x, kernel = x.astype(np.float64), kernel.astype(np.float64)
    size = kernel.shape[0]
    pad = (size - 1) // 2
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    h, w = ((n + 2 * pad - size) // stride + 1 for n in x.shape[1:3])
    rows = [
        [
            np.einsum(
                "nijc,ijco->no",
                padded[
                    :, i * stride : i * stride + size, j * stride : j * stride + size
                ],
                kernel,
            )
            for j in range(w)
        ]
        for i in range(h)
    ]
    return np.moveaxis(np.array(rows), 2, 0)


@pytest.mark.parametrize(("form", "size", "stride", "h", "w"), CASES)
def test_every_form_is_the_sum_over_padded_windows(form, size, stride, h, w):
    x, kernel = arrays(size, h, w)
    result = jax.jit(form, static_argnums=(2, 3))(x, kernel, stride, HIGHEST)
    expected = padded_sums(x, kernel, stride)
    # Float32 sums of up to 245 products, against the largest value.
    limit = 1e-6 * np.abs(expected).max()
    np.testing.assert_allclose(result, expected, rtol=0, atol=limit)


@pytest.mark.parametrize("size", [3, 7])
def test_same_padding_is_another_convolution(size):
    x, kernel = arrays(size, 16, 16)
    same = lax.conv_general_dilated(
        x, kernel, (2, 2), "SAME", dimension_numbers=convolution.DIMENSIONS
    )
    expected = padded_sums(x, kernel, 2)
    assert np.abs(same - expected).max() > 0.5 * np.abs(expected).max()


@pytest.mark.parametrize(("form", "size", "stride", "h", "w"), CASES[2:])
def test_gradients_of_images_and_kernels_are_those_of_xla(form, size, stride, h, w):
    with jax.enable_x64(True):
        x, kernel = map(jnp.asarray, arrays(size, h, w, np.float64))

        def gradients_of(form):
            def sum_of_cubes(x, kernel):
                return (form(x, kernel, stride, HIGHEST) ** 3).sum()

            return jax.jit(jax.grad(sum_of_cubes, (0, 1)))

        result = gradients_of(form)(x, kernel)
        expected = gradients_of(convolution.direct)(x, kernel)
        for a, b in zip(result, expected, strict=True):
            # Float64 rounding, some 1e-15, times the number of terms.
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * np.abs(b).max())


def test_a_folded_batch_norm_is_torchs_with_the_given_statistics():
    rng = np.random.default_rng(0)
    x, kernel = arrays(3, 8, 8)
    gamma, beta, mean = rng.normal(size=(3, 4)).astype(np.float32)
    var = rng.uniform(0, 2e-5, 4).astype(np.float32)  # so small that epsilon counts
    unfolded = {
        "params": {
            "conv1": {"kernel": kernel},
            "bn1": {"scale": gamma, "bias": beta},
            "fc": {},
        },
        "batch_stats": {"bn1": {"mean": mean, "var": var}},
        "normalize": {},
    }
    layer = resnet.Convolution(4, 3, 2, convolution.direct, HIGHEST)
    params = checkpoints.fold(unfolded)["params"]["conv1"]
    result = layer.apply({"params": params}, jnp.asarray(x))
    sigma = np.sqrt(var.astype(np.float64) + 1e-5)
    expected = (padded_sums(x, kernel, 2) - mean) / sigma * gamma + beta
    # Float32 rounding against the largest value.
    limit = 1e-6 * np.abs(expected).max()
    np.testing.assert_allclose(result, expected, rtol=0, atol=limit)


def test_own_gradients_also_hold_under_vmap_and_in_loops():
    x, kernel = map(jnp.asarray, arrays(3, 6, 6))

    def loss(form):
        return lambda x: (form(x[np.newaxis], kernel, 2, HIGHEST) ** 2).sum()

    expected = jax.jit(jax.vmap(jax.grad(loss(convolution.direct))))(x)
    limit = 1e-6 * np.abs(expected).max()  # float32 rounding
    for mapped in (jax.vmap, lambda f: lambda x: lax.map(f, x)):
        result = jax.jit(mapped(jax.grad(loss(convolution.canonical))))(x)
        np.testing.assert_allclose(result, expected, rtol=0, atol=limit)
