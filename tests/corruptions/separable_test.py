"""Are rows and columns mapped by their own matrices, whole or in blocks?"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import ndimage

from biases_jax.corruptions import gaussian_filter, separable

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("shape", [(60, 47), (60, 224, 3)], ids=str)
def test_blocks_do_what_the_matrices_do(shape):
    layer = RNG.random(shape).astype(np.float32)
    rows, columns = (gaussian_filter.matrix(side, 1.5) for side in shape[:2])
    blocks = [separable.blocks(matrix, 6) for matrix in (rows, columns)]
    assert blocks[0].shape == (4, 15, 27)
    expected = np.einsum("jw,iw...->ij...", columns, np.tensordot(rows, layer, 1))
    for got in (
        separable.mapped(jnp.asarray(layer), rows, columns),
        separable.mapped(jnp.asarray(layer), *blocks),
    ):
        # Sums of a dozen float32 in [0, 1], twice.
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)


def test_matrices_need_not_be_square():
    layer, rows = RNG.random((4, 5)).astype(np.float32), np.ones((2, 4), np.float32)
    got = separable.mapped(jnp.asarray(layer), rows, np.eye(5, dtype=np.float32)[:3])
    np.testing.assert_allclose(got, np.tile(layer.sum(0)[:3], (2, 1)), rtol=1e-6)


def test_bands_wider_than_said_are_refused():
    with pytest.raises(ValueError, match="further than 5 from its diagonal"):
        separable.blocks(gaussian_filter.matrix(60, 1.5), 5)


def test_changes_are_what_a_filter_adds_and_keep_the_least_of_it():
    layer = np.zeros((60, 224, 3), np.float32)
    layer[:, 100:], layer[40:] = 1, 200
    columns, rows = (gaussian_filter.change(side, 1.5) for side in (224, 60))
    got = separable.changes(
        jnp.asarray(layer), separable.blocks(rows, 6), separable.blocks(columns, 6)
    )
    filtered = ndimage.gaussian_filter(
        layer.astype(float), 1.5, mode="nearest", axes=(0, 1)
    )
    expected = filtered - layer
    # Far away 1e-6 of a level, which float32 does not tell beside 200 levels.
    np.testing.assert_allclose(got[:34], expected[:34], rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-4)
    assert (np.asarray(got)[:34, :94] == 0).all()
