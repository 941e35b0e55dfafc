"""Are a pixel's neighbours where they are said to be, inside and at the border?"""

import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.corruptions import neighbourhoods


@pytest.mark.parametrize("border", [{}, {"mode": "edge"}, {"mode": "reflect"}])
@pytest.mark.parametrize(("height", "width", "radius"), [(5, 7, 1), (8, 6, 3)])
def test_neighbours_are_those_of_the_padded_plane(height, width, radius, border):
    layer = np.random.RandomState(0).randint(0, 99, (height, width)).astype(np.int32)
    padded = np.pad(layer, radius, **border)

    for down in range(-radius, radius + 1):
        for right in range(-radius, radius + 1):
            got = neighbourhoods.mapped(
                lambda at, i=down, j=right: at(i, j),
                jnp.asarray(layer),
                radius,
                **border,
            )
            i, j = radius + down, radius + right
            expected = padded[i : i + height, j : j + width]
            np.testing.assert_array_equal(got, expected)
