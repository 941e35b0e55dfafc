"""Does a method run for one image after the other, where that is the faster way?"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import corruptions
from biases_jax.corruptions.one_by_one import one_by_one

# One of each way to go through an image: products of matrices, a loop over slices, a
# loop until nothing changes, a choice, a Fourier transform.
USERS = ("gaussian_blur", "motion_blur", "glass_blur", "spatter", "defocus_blur")


class Scaled:
    """A method of arrays, in a dictionary too."""

    @one_by_one
    def scaled(self, image, parameters):
        return {"image": image * parameters["scale"], "total": image.sum()}


IMAGES, SHARED = jnp.arange(12.0).reshape(3, 4), {"scale": jnp.float32(2)}


def lowered(function, platform, *arrays):
    """Return the program for a platform that need not be here."""
    traced = jax.jit(function).trace(*arrays)
    return traced.lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize("compiled", [lambda f: f, jax.jit], ids=["eager", "jit"])
def test_results_are_those_of_each_image_and_what_is_shared_stays_so(compiled):
    found = compiled(jax.vmap(Scaled().scaled, (0, None)))(IMAGES, SHARED)
    np.testing.assert_array_equal(found["image"], 2 * IMAGES)
    np.testing.assert_array_equal(found["total"], IMAGES.sum(1))
    alone = compiled(Scaled().scaled)(IMAGES[1], SHARED)
    np.testing.assert_array_equal(alone["image"], 2 * IMAGES[1])


def test_parameters_may_be_those_of_each_image():
    own = {"scale": jnp.arange(3.0)}
    found = jax.jit(jax.vmap(Scaled().scaled))(IMAGES, own)
    expected = np.arange(3)[:, None] * np.asarray(IMAGES)
    np.testing.assert_array_equal(found["image"], expected)


def test_batches_of_batches_are_loops_of_loops():
    def both(images):
        mapped = jax.vmap(jax.vmap(Scaled().scaled, (0, None)), (0, None))
        return mapped(images, SHARED)

    images = jnp.arange(24.0).reshape(2, 3, 4)
    np.testing.assert_array_equal(jax.jit(both)(images)["image"], 2 * images)
    assert lowered(both, "cpu", images).count("stablehlo.while") == 2
    assert "stablehlo.while" not in lowered(both, "tpu", images)


def test_batches_are_loops_over_the_images_on_cpus_only():
    mapped = jax.vmap(Scaled().scaled, (0, None))
    assert lowered(mapped, "cpu", IMAGES, SHARED).count("stablehlo.while") == 1
    for platform in ("cuda", "rocm", "tpu"):
        assert "stablehlo.while" not in lowered(mapped, platform, IMAGES, SHARED)


@pytest.mark.parametrize("name", USERS)
def test_corruptions_have_no_other_loop_on_accelerators_than_of_one_image(name):
    corruption = corruptions.get(name, 3)
    image = jnp.zeros((48, 40, 3), jnp.uint8)
    keys, images = jax.random.split(jax.random.key(0), 4), jnp.stack([image] * 4)
    for platform, more in (("cpu", 1), ("cuda", 0), ("tpu", 0)):
        # Of the same platform: random numbers are drawn in a loop on some.
        alone = lowered(corruption.__call__, platform, keys[0], image)
        mapped = lowered(jax.vmap(corruption), platform, keys, images)
        loops = [program.count("stablehlo.while") for program in (alone, mapped)]
        assert loops[1] == loops[0] + more
