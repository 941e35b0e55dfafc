"""Does a method run for one image after the other, and give what it gives for each?"""

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.corruptions.one_by_one import one_by_one


class Scaled:
    """A method of arrays, in a dictionary too."""

    @one_by_one
    def scaled(self, image, parameters):
        return image * parameters["scale"]


def test_batches_are_loops_over_the_images_and_what_is_shared_stays_so():
    images, shared = jnp.arange(12.0).reshape(3, 4), {"scale": jnp.float32(2)}
    mapped = jax.vmap(Scaled().scaled, (0, None))
    np.testing.assert_array_equal(mapped(images, shared), 2 * images)
    np.testing.assert_array_equal(Scaled().scaled(images[1], shared), 2 * images[1])
    assert "scan" in str(jax.make_jaxpr(mapped)(images, shared))
