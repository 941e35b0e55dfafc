"""Are the stimuli the paper's, given its noise, and is the noise what it should be?"""

import functools
import json
import pathlib

import jax
import jax.numpy as jnp
import masking_reference as reference
import numpy as np
import pytest
from PIL import Image

from biases_jax import transforms
from biases_jax.masking import stimulus

SHARED = (
    pathlib.Path(__file__).parents[2]
    / "../shared/data/golden_criticalband_stimulus.json"
)
GOLDEN = pathlib.Path(__file__).parents[1] / "golden/criticalband_stimulus.json"
KEY = jax.random.key(0)
SDS = (0.02, 0.04, 0.08, 0.16)


@functools.cache
def golden():
    return json.loads(GOLDEN.read_text())


def values():
    i, j = np.mgrid[:224, :224]
    return (7 * i + 13 * j + i * j // 11) % 256


def image(dtype=jnp.float32):
    return jnp.asarray(np.repeat(values()[..., None], 3, axis=2) / 255, dtype)


def unit_noise():
    return np.random.RandomState(0).randn(224, 224)


def prepared(dtype=jnp.float32):
    draws = {"normal": jnp.asarray(unit_noise(), dtype)}
    return stimulus.WhiteNoise().prepare(image(dtype), draws)


def applied(given, frequency, sd):
    """Apply a condition by one program for all, as the engine does."""
    transform = stimulus.BandNoise(frequency, sd)
    parameters = transform.parameters((224, 224, 3))
    return np.asarray(_program()(given, KEY, parameters))


@functools.cache
def _program():
    template = transforms.compiled_part(stimulus.BandNoise(0, 0.0))
    return jax.jit(template.apply)


def check_golden(shown, cell, atol):
    points = golden()["definition"]["points"]
    assert (shown[..., 0] == shown[..., 1]).all()
    assert (shown[..., 0] == shown[..., 2]).all()
    found = [shown[i, j, 0] for i, j in points]
    np.testing.assert_allclose(found, cell["points"], atol=atol)
    for name in ("mean", "std", "min", "max"):
        value = getattr(shown[..., 0].astype(np.float64), name)()
        np.testing.assert_allclose(value, cell[name], atol=atol)


def test_recorded_noise_gives_the_recorded_stimuli():
    given = prepared()
    assert len(golden()["stimuli"]) == 28
    for cell in golden()["stimuli"]:
        shown = applied(given, cell["freq_index"], cell["noise_sd"])
        assert shown.dtype == np.float32
        check_golden(shown, cell, atol=1e-6)


def test_recorded_noise_gives_the_recorded_stimuli_in_float64():
    """To the rounding of the records, which were kept as float32."""
    with jax.enable_x64(True):
        given = prepared(jnp.float64)
        for cell in golden()["stimuli"]:
            transform = stimulus.BandNoise(cell["freq_index"], 0.0)
            parameters = transform.parameters((224, 224, 3))
            parameters["sd"] = np.float64(cell["noise_sd"])  # not rounded to float32
            shown = np.asarray(_program()(given, KEY, parameters))
            assert shown.dtype == np.float64
            check_golden(shown, cell, atol=6e-8)


def test_the_kept_golden_is_the_shared_one():
    if not SHARED.exists():
        pytest.skip("the project's shared material is not beside the checkout")
    assert golden() == json.loads(SHARED.read_text())


@pytest.mark.parametrize("frequency", range(7))
def test_every_pixel_equals_the_statement_in_numpy(frequency):
    given, base = prepared(), reference.grey(values())
    for sd in SDS:
        total = reference.masked(base, unit_noise(), frequency, sd)
        shown = applied(given, frequency, sd)[..., 0]
        # Within rounding of a limit a pixel may go either way.
        near = (np.abs(total) < 1e-6) | (np.abs(total - 1) < 1e-6)
        expected = reference.inside(total)
        np.testing.assert_allclose(shown[~near], expected[~near], atol=1e-6)


def test_without_noise_the_grey_image_is_shown():
    shown = applied(prepared(), 0, 0.0)[..., 0]
    np.testing.assert_allclose(shown, reference.grey(values()), atol=6e-8)
    check = golden()["base_check"]
    np.testing.assert_allclose(shown.mean(dtype=np.float64), check["mean"], atol=6e-8)


def test_luma_is_pillows_for_every_hue():
    generator = np.random.default_rng(0)
    pixels = generator.integers(0, 256, (512, 512, 3), dtype=np.uint8)
    ends = np.stack(np.meshgrid(*[[0, 1, 127, 128, 254, 255]] * 3), axis=-1)
    pixels[:6, :36] = ends.reshape(6, 36, 3)
    shown = stimulus.luma(jnp.asarray(pixels / np.float32(255)))
    np.testing.assert_array_equal(shown, Image.fromarray(pixels).convert("L"))


def test_the_grey_image_keeps_a_fifth_of_the_contrast():
    pixels = np.random.default_rng(1).integers(0, 256, (224, 224, 3), dtype=np.uint8)
    luma = np.asarray(Image.fromarray(pixels).convert("L"), np.float64)
    shown = stimulus.low_contrast(jnp.asarray(pixels / np.float32(255)))
    np.testing.assert_allclose(shown, reference.grey(luma), atol=6e-8)


def test_draws_are_white_and_of_variance_one():
    normal = stimulus.WhiteNoise().sample(KEY, (224, 224))["normal"]
    assert normal.dtype == jnp.float32
    # Five standard errors of 50,176 independent draws.
    assert abs(float(normal.mean())) < 5 / 224
    assert abs(float(normal.var()) - 1) < 5 * np.sqrt(2) / 224
    shifted = (normal[1:] * normal[:-1]).mean(), (normal[:, 1:] * normal[:, :-1]).mean()
    assert max(abs(float(product)) for product in shifted) < 5 / 224


@pytest.mark.parametrize("frequency", range(7))
def test_all_bands_have_the_power_of_the_finest(frequency):
    base, noise = 0.5 * np.ones((224, 224)), unit_noise()
    given = prepared()._replace(grey=jnp.asarray(base, jnp.float32))
    shown = applied(given, frequency, 0.02)[..., 0]
    finest = reference.rms(reference.bands(0.02 * noise)[0])
    np.testing.assert_allclose(reference.rms(shown - base), finest, rtol=1e-5)


def redrawn(grey, noise, sd, key):
    """State the out-of-range rule pixel by pixel, with the same draws."""
    shown = np.empty_like(grey)
    for place in np.ndindex(grey.shape):
        g, n = grey[place], noise[place]
        if 0 <= g + n <= 1:
            shown[place] = g + n
        elif g + n < 0 and n >= np.float32(-0.9):
            shown[place] = 0.1
        elif g + n > 1 and n <= np.float32(0.9):
            shown[place] = 0.9
        else:
            for attempt in range(1000):
                own = jax.random.fold_in(key, attempt)
                drawn = sd * np.asarray(_normal(own, grey.shape))[place]
                if 0 <= g + drawn <= 1:
                    shown[place] = g + drawn
                    break
    return shown


@functools.partial(jax.jit, static_argnums=1)
def _normal(key, shape):
    return jax.random.normal(key, shape)


def constructed(seed):
    """A grey image with noise of which a part is beyond 0.9 on either side."""
    generator = np.random.default_rng(seed)
    grey = generator.uniform(0.249, 0.649, (6, 5)).astype(np.float32)
    noise = generator.normal(0, 0.2, (6, 5)).astype(np.float32)
    noise[0] = [-0.95, 0.95, 2, -2, -0.7]
    return grey, noise


def test_lost_pixels_get_white_noise_until_they_fit():
    # A standard deviation of 1 makes several attempts needed for some.
    sd = jnp.float32(1)
    grey, noise = constructed(0)
    shown = np.asarray(stimulus.bring_inside(*map(jnp.asarray, (grey, noise)), sd, KEY))
    # A fused multiply-add rounds once less.
    np.testing.assert_allclose(shown, redrawn(grey, noise, sd, KEY), atol=1.2e-7)
    assert shown[0, 4] == np.float32(0.1)
    assert ((shown >= 0) & (shown <= 1)).all()
    assert len(np.unique(shown[0, :4])) == 4


def test_redraws_of_a_batch_are_those_of_each_image_alone():
    sd, keys = jnp.float32(1), jax.random.split(KEY, 3)
    greys, noises = map(jnp.stack, zip(*map(constructed, range(3)), strict=True))
    noises = noises.at[1].set(0)  # an image that needs none, between two that do
    together = jax.vmap(stimulus.bring_inside, (0, 0, None, 0))(greys, noises, sd, keys)
    for shown, grey, noise, key in zip(together, greys, noises, keys, strict=True):
        alone = stimulus.bring_inside(grey, noise, sd, key)
        np.testing.assert_allclose(shown, alone, atol=1.2e-7)
    np.testing.assert_array_equal(together[1], greys[1])


def test_redraws_have_the_noises_variance_and_other_draws_than_the_band():
    given = stimulus.WhiteNoise()(KEY, image())
    # A million times as strong, the band leaves no pixel to itself.
    given = given._replace(
        grey=jnp.full((224, 224), 0.5, jnp.float32), scale=1e6 * given.scale
    )
    drawn = applied(given, 6, 0.1)[..., 0] - 0.5
    assert abs(drawn.std() / 0.1 - 1) < 5 / np.sqrt(2) / 224  # five standard errors
    normal = np.asarray(stimulus.WhiteNoise().sample(KEY, (224, 224))["normal"])
    assert abs(np.corrcoef(normal.ravel(), drawn.ravel())[0, 1]) < 5 / 224


@pytest.mark.parametrize("arguments", [(7, 0.1), (-1, 0.1), (3, -0.1), (3, 2.0)])
def test_unknown_conditions_are_refused(arguments):
    with pytest.raises(ValueError, match="expected frequency 0 to 6 and sd in"):
        stimulus.BandNoise(*arguments)
