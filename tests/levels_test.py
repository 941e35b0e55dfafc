"""Are levels exactly the numbers of a correctly rounded division?"""

import jax
import numpy as np

from biases_jax import levels


def test_levels_are_divided_as_rounding_wants_it_also_when_compiled():
    image = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(3, axis=2)
    exact = (image / np.float64(255)).astype(np.float32)  # rounded once
    np.testing.assert_array_equal(levels.unit(image), exact)
    np.testing.assert_array_equal(jax.jit(levels.unit)(image), exact)
