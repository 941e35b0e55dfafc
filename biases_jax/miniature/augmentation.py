"""How do training images vary beyond what the world draws?"""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from biases_jax.miniature.picture import WINDOW
from biases_jax.miniature.sampling import LUMA
from biases_jax.types import Array, Float, PRNGKey, UInt8

Stored = UInt8[Array, "b s s 3"]  # as the training set keeps them
Images = Float[Array, "b 224 224 3"]
Augmentation = Callable[[PRNGKey, Images], Images]

NOISE = 0.3  # largest standard deviation of the noise recipe
BLURS = (0.0, 1.0, 2.0, 3.5, 5.0, 7.0)  # standard deviations in pixels
SMALLEST = 0.55  # side of a view's crop, of the frame's
GREY = 0.2  # share of images without colour
FAINTEST = 0.15  # lowest contrast, of the image's own


def photograph(key: PRNGKey, stored: Stored) -> Images:
    """Return a window of each image in some light: what all recipes start from."""
    place, light = jax.random.split(key)
    return fade(light, crop(place, stored))


def crop(key: PRNGKey, stored: Stored) -> Images:
    """Return a window of 224 pixels at a random place, mirrored half of the time."""
    at, mirror = jax.random.split(key)
    room = stored.shape[1] - WINDOW + 1
    places = jax.random.randint(at, (stored.shape[0], 2), 0, room)

    def window(image, place):
        return jax.lax.dynamic_slice(image, (*place, 0), (WINDOW, WINDOW, 3))

    images = jax.vmap(window)(stored, places).astype(jnp.float32) / 255
    return _some(mirror, images[:, :, ::-1], images)


def fade(key: PRNGKey, images: Images) -> Images:
    """Return images of which a fifth is grey, and half of a lower contrast.

    Contrast is lowered towards the mean luma, as photographs' jitter does it.
    """
    colour, chosen, strength = jax.random.split(key, 3)
    luma = (images @ jnp.array(LUMA))[..., None]
    grey = jax.random.bernoulli(colour, GREY, images.shape[:1])
    images = jnp.where(grey[:, None, None, None], luma, images)
    contrast = jax.random.uniform(strength, (images.shape[0], 1, 1, 1), minval=FAINTEST)
    mean = luma.mean((1, 2), keepdims=True)
    return _some(chosen, mean + contrast * (images - mean), images)


def none(key: PRNGKey, images: Images) -> Images:
    """Return the images."""
    del key
    return images


def noise(key: PRNGKey, images: Images) -> Images:
    """Return images with Gaussian noise of another strength for each."""
    strength, values = jax.random.split(key)
    sigma = jax.random.uniform(strength, (images.shape[0], 1, 1, 1), maxval=NOISE)
    return jnp.clip(images + sigma * jax.random.normal(values, images.shape), 0, 1)


def low_pass(key: PRNGKey, images: Images) -> Images:
    """Return images blurred by a Gaussian of another width for each."""
    chosen = jax.random.randint(key, images.shape[:1], 0, len(BLURS))
    matrix = jnp.asarray(_blurs())[chosen]
    return jnp.einsum("bij,bjkc,blk->bilc", matrix, images, matrix)


def view(key: PRNGKey, images: Images) -> Images:
    """Return another view: a crop in another size, other colours, a little noise."""
    keys = jax.random.split(key, 5)
    count = images.shape[0]
    side = jax.random.uniform(keys[0], (count,), minval=SMALLEST)
    corner = jax.random.uniform(keys[1], (count, 2)) * (1 - side)[:, None] * WINDOW
    images = jax.vmap(_zoom)(images, 1 / side, corner)
    order = jax.vmap(lambda k: jax.random.permutation(k, 3))(
        jax.random.split(keys[2], count)
    )
    images = jnp.take_along_axis(images, order[:, None, None], 3)
    images = _some(keys[3], 1 - images, images)
    return jnp.clip(images + 0.05 * jax.random.normal(keys[4], images.shape), 0, 1)


def _zoom(image, scale, corner):
    return jax.image.scale_and_translate(
        image, image.shape, (0, 1), jnp.stack([scale] * 2), -corner * scale, "linear"
    )


def _some(key, changed, images):
    """Return changed images in half of the places."""
    chosen = jax.random.bernoulli(key, 0.5, images.shape[:1])
    return jnp.where(chosen[:, None, None, None], changed, images)


@functools.cache
def _blurs() -> np.ndarray:
    """Return [blur, row, column] matrices whose rows are Gaussians of sum 1."""
    places = np.arange(WINDOW)
    distance = places[:, None] - places
    rows = [
        np.exp(-(distance**2) / (2 * max(sigma, 1e-3) ** 2)).astype(np.float32)
        for sigma in BLURS
    ]
    return np.stack([row / row.sum(1, keepdims=True) for row in rows])
