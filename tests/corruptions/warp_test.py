"""Are images mirrored beyond their borders as NumPy pads them, and linear between?"""

import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.corruptions import warp

IMAGE = np.random.default_rng(0).integers(0, 256, (7, 9, 3)).astype(np.float32)


@pytest.mark.parametrize("border", ["symmetric", "reflect"])
def test_pixels_far_outside_are_those_of_the_padded_image(border):
    padded = np.pad(IMAGE, ((30, 30), (40, 40), (0, 0)), mode=border)
    down, right = np.mgrid[-30:37, -40:49]
    rows, columns = (
        warp.Places(jnp.asarray(low, jnp.int32), jnp.zeros(low.shape, jnp.float32))
        for low in (down, right)
    )
    got = warp.sampled(jnp.asarray(IMAGE), rows, columns, border)
    np.testing.assert_array_equal(got, padded)


def test_places_between_pixels_are_linear_in_all_four():
    rows = warp.places(2, jnp.full((1, 1), -0.75, jnp.float32))
    columns = warp.places(3, jnp.full((1, 1), 1.5, jnp.float32))
    assert (rows.low.item(), columns.low.item()) == (1, 4)
    got = warp.sampled(jnp.asarray(IMAGE), rows, columns, "reflect")
    pair = IMAGE[1:3, 4:6].mean(1)
    np.testing.assert_allclose(got[0, 0], 0.75 * pair[0] + 0.25 * pair[1], rtol=1e-6)
