"""Is fog the reference's, by the same draws and by its own?"""

import jax
import numpy as np
import pytest
import skimage.data
from corruptions import checks, golden, reference_fog, statistics

from biases_jax.corruptions.fog import Fog

SIDES = (1, 2, 4, 8, 16, 32, 64, 128)
# Of float32, where a value is within its rounding of a whole level: measured 4e-5 at
# 224 x 224, and 3 values of the 21825 of the small image.
SHARE = {224: 1e-4, 97: 2e-4}


@pytest.fixture(scope="module")
def corrupt():
    """Return a function of severity, image and draws, compiled once a flavour."""

    @jax.jit(static_argnums=0)
    def compiled(flavour, image, draws, parameters):
        return Fog(1, flavour).corrupt(image, draws, parameters)

    def run(severity, image, draws, flavour="original"):
        parameters = Fog(severity, flavour).parameters(image.shape)
        return np.asarray(compiled(flavour, image, draws, parameters))

    return run


def uniform(generator, sides=SIDES):
    draws = {n: [generator.uniform(-1, 1, (n, n)) for _ in range(3)] for n in sides}
    return {f"uniform_{n}": np.float32(maps) for n, maps in draws.items()}


@pytest.mark.parametrize(("image", "severity"), golden.cases("weather", "fog"))
def test_recorded_draws_give_the_recorded_images(corrupt, image, severity):
    draws = uniform(golden.random_state(image, severity))
    whole = corrupt(severity, golden.image(image), draws)
    name = golden.key("fog", image, severity)
    got, expected = golden.thinned(whole), golden.extract("weather")[name]
    if not golden.is_whole("weather", name, whole):
        most, share = golden.differences(got, expected)
        assert most <= 1 and share <= 1e-3  # at most 2 of the 2352 values


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize(
    ("flavour", "height", "width", "sides"),
    [
        ("original", 224, 224, SIDES),
        ("imagecorruptions", 97, 75, SIDES[:7]),
    ],
)
def test_it_is_what_float64_says(corrupt, severity, flavour, height, width, sides):
    image = skimage.data.coffee()[50 : 50 + height, 120 : 120 + width]
    draws = uniform(np.random.RandomState(severity), sides)
    expected = reference_fog.fog(image, draws, severity)
    got = corrupt(severity, image, draws, flavour)
    most, share = golden.differences(got, expected)
    assert most <= 1 and share <= SHARE[height]


@pytest.mark.parametrize(
    ("height", "width", "side"), [(64, 32, 64), (65, 32, 128), (300, 224, 512)]
)
def test_the_map_of_imagecorruptions_is_as_large_as_the_image_demands(
    height, width, side
):
    draws = Fog(1, "imagecorruptions").sample(jax.random.key(0), (height, width, 3))
    assert max(n.shape[-1] for n in draws.values()) == side // 2


def test_the_original_map_has_one_size():
    draws = Fog(1).sample(jax.random.key(0), (32, 48, 3))
    assert [n.shape for n in draws.values()] == [(3, n, n) for n in SIDES]
    with pytest.raises(ValueError, match="expected at most 256 x 256"):
        Fog(1).sample(jax.random.key(0), (257, 224, 3))


def test_no_other_flavour_is_known():
    with pytest.raises(ValueError, match="got flavour 'tfds', expected one of"):
        Fog(1, "tfds")


def test_a_black_image_stays_black(corrupt):
    black = np.zeros((224, 224, 3), np.uint8)
    assert not corrupt(5, black, uniform(np.random.RandomState(0))).any()


@pytest.fixture(scope="module")
def fresh():
    """Return the images of 24 keys and a severity."""
    return checks.of_fresh_keys(Fog)


@pytest.mark.parametrize("severity", [1, 2, 3, 4, 5])
def test_fresh_draws_look_like_the_reference(fresh, severity):
    assert statistics.unlike("fog", severity, fresh(severity)) == []


def test_a_key_gives_its_bytes_in_any_batch(fresh):
    image, keys = golden.image("astronaut"), jax.random.split(jax.random.key(7), 24)
    alone = np.asarray(jax.jit(Fog(3))(keys[5], image))
    np.testing.assert_array_equal(fresh(3)[5], alone)


def test_draws_are_uniform_on_minus_one_to_one():
    draws = Fog(1).sample(jax.random.key(1), (224, 224, 3))
    assert {value.dtype for value in draws.values()} == {np.dtype("float32")}
    values = np.asarray(draws["uniform_128"]).ravel()
    assert -1 <= values.min() < -0.999 and 0.999 < values.max() <= 1
    # Standard errors: 0.577 / sqrt(49152) = 0.0026, and 0.0014 of the second moment.
    assert abs(values.mean()) < 0.01 and abs((values**2).mean() - 1 / 3) < 0.006
