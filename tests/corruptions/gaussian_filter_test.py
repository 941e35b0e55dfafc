"""Are the matrices SciPy's Gaussian filters, however long and at any border?"""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import ndimage

from biases_jax.corruptions import gaussian_filter, separable

BORDERS = {"edge": "nearest", "symmetric": "reflect", "reflect": "mirror"}  # SciPy's
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("deviation", [0.7, 6.0, 170.8])
def test_gaussians_are_scipys_however_often_they_are_folded(border, deviation):
    layer = RNG.random((50, 37)).astype(np.float32)
    filters = [gaussian_filter.matrix(n, deviation, border, 3.0) for n in layer.shape]
    got = separable.mapped(jnp.asarray(layer), *filters)
    expected = ndimage.gaussian_filter(
        layer.astype(float), deviation, mode=BORDERS[border], truncate=3
    )
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-6)
