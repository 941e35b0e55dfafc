"""Does an image blend between its pixels, and into black around it?"""

import jax.numpy as jnp
import numpy as np
from corruptions import cbar
from scipy import ndimage

from biases_jax.corruptions import bilinear


def test_places_in_and_far_outside_an_image_are_those_of_scipy():
    image = cbar.photograph(40, 57)
    rows, columns = np.random.default_rng(0).uniform(-9, 65, (2, 50, 60))
    rows[0, :4], columns[0, :4] = (0, 39, 39.5, -1), (0, 56, 56, 3)  # the borders
    rows, columns = rows.astype(np.float32), columns.astype(np.float32)
    found = bilinear.sampled(
        jnp.asarray(image), jnp.asarray(rows), jnp.asarray(columns)
    )
    places = np.stack([rows, columns]).astype(float)
    for colour in range(3):
        expected = ndimage.map_coordinates(
            image[..., colour].astype(float), places, order=1, mode="grid-constant"
        )
        # float32 products of values up to 255
        np.testing.assert_allclose(found[..., colour], expected, rtol=0, atol=1e-4)
