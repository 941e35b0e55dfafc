"""Is snow the reference's, by the same draws and by its own?"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import skimage.data
from corruptions import checks, golden, reference_snow, statistics

from biases_jax.corruptions.flavours import FLAVOURS
from biases_jax.corruptions.snow import TAPS, Snow, floor_255, whitened

SEVERITIES = (1, 2, 3, 4, 5)
CASES = [
    *(("imagecorruptions", *case) for case in golden.cases("weather", "snow")),
    *(("original", *case) for case in golden.cases("weather", "snow", "original")),
]


@pytest.fixture(scope="module")
def corrupt():
    """Return a function of severity, flavour, image and draws, compiled once."""

    @jax.jit(static_argnums=0)
    def compiled(flavour, image, draws, parameters):
        return Snow(1, flavour).corrupt(image, draws, parameters)

    def run(severity, flavour, image, normal, angle):
        draws = {"normal": normal.astype(np.float32), "angle": np.float32(angle)}
        parameters = Snow(severity, flavour).parameters(image.shape)
        return np.asarray(compiled(flavour, image, draws, parameters))

    return run


@pytest.mark.parametrize(("flavour", "image", "severity"), CASES)
def test_recorded_draws_give_the_recorded_images(corrupt, flavour, image, severity):
    generator = golden.random_state(image, severity)
    normal = generator.standard_normal((224, 224))
    angle = generator.uniform(-135, -45)
    assert angle == golden.extract("weather")[golden.key("snow_angle", image, severity)]
    found = corrupt(severity, flavour, golden.image(image), normal, angle)
    name = golden.key("snow", image, severity, flavour if flavour == "original" else "")
    assert golden.is_whole("weather", name, found)


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize(("height", "width"), [(224, 224), (97, 75)])
def test_it_is_what_float64_says(corrupt, severity, flavour, height, width):
    image = skimage.data.coffee()[50 : 50 + height, 120 : 120 + width]
    generator = np.random.RandomState(severity)
    normal = generator.standard_normal((height, width))
    angle = generator.uniform(-135, -45)
    expected = reference_snow.snow(image, normal, angle, severity, flavour)
    got = corrupt(severity, flavour, image, normal, angle)
    most, share = golden.differences(got, expected)
    # Where float32 puts a flake on another level, in three colours here and there.
    assert most <= 1 and share <= {224: 1e-4, 97: 5e-4}[height]


@pytest.mark.parametrize("clear", [0.8, 0.7, 0.65, 0.55])
def test_a_grey_image_is_rounded_as_float32_has_it(clear):
    grey = np.broadcast_to(np.arange(256, dtype=np.uint8)[:, None], (256, 3))
    found = jax.jit(whitened)(grey[:, None], jnp.float32(clear), jnp.float32(1 - clear))
    values = np.arange(256, dtype=np.float32) / np.float32(255)
    red, green, blue = (values * np.float32(w) for w in (0.299, 0.587, 0.114))
    bright = (red + green + blue) * np.float32(1.5) + np.float32(0.5)
    bright = np.float32(1 - clear) * np.maximum(values, bright)
    expected = np.floor(255 * (np.float32(clear) * values + bright).astype(float))
    np.testing.assert_array_equal(found[:, 0, 1], expected)


def test_levels_are_rounded_down_as_exact_products_are():
    whole = np.arange(1, 400, dtype=np.float32) / np.float32(255)
    both = np.concatenate(
        [np.nextafter(whole, np.float32(i)) for i in (-9, 9)] + [whole]
    )
    found = jax.jit(floor_255)(jnp.asarray(both)[None, :, None] * jnp.ones((1, 1, 3)))
    np.testing.assert_array_equal(found[0, :, 0], np.floor(255 * both.astype(float)))


@pytest.fixture(scope="module")
def fresh():
    """Return the images of 24 keys and a severity, in the flavour of the statistics."""
    return checks.of_fresh_keys(functools.partial(Snow, flavour="imagecorruptions"))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_fresh_draws_look_like_the_reference(fresh, severity):
    assert statistics.unlike("snow", severity, fresh(severity)) == []


def test_a_key_gives_its_bytes_in_any_batch(fresh):
    image = jnp.asarray(golden.image("astronaut"))
    key = jax.random.split(jax.random.key(7), 24)[5]
    alone = jax.jit(Snow(4, "imagecorruptions"))(key, image)
    np.testing.assert_array_equal(fresh(4)[5], alone)


def test_flakes_fall_at_most_45_degrees_from_upright():
    keys = jax.random.split(jax.random.key(3), 2000)
    sample = jax.jit(jax.vmap(lambda key: Snow(1).sample(key, (8, 9, 3))))
    draws = jax.device_get(sample(keys))
    assert draws["normal"].shape == (2000, 8, 9)
    angles = draws["angle"]
    assert -135 <= angles.min() < -134 and -46 < angles.max() <= -45
    # The standard error of the mean is 26 / sqrt(2000) = 0.6; of noise 1 / 379 = 0.003.
    assert abs(angles.mean() + 90) < 2.4 and abs(draws["normal"].mean()) < 0.011
    # Angle and noise are apart: a correlation of 2000 pairs has an error of 0.022.
    pairs = np.corrcoef(angles, draws["normal"][:, 0, 0])
    assert abs(pairs[0, 1]) < 0.09


def test_no_other_flavour_is_known():
    assert Snow(2).parameters((32, 40, 3))["weights"].shape == (TAPS,)
    with pytest.raises(ValueError, match="got flavour 'tfds', expected one of"):
        Snow(1, "tfds")
