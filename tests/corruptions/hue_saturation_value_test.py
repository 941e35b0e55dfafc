"""Do colours come back from their parts, and are the parts the usual ones?"""

import colorsys

import jax.numpy as jnp
import numpy as np
import pytest
from corruptions import checks
from corruptions import reference_pointwise as reference

from biases_jax.corruptions import hue_saturation_value as hsv


def every_corner():
    """Return the 8 corners of the colour cube, greys and random colours, [.., 8, 3]."""
    corners = np.array([[n & 1, n >> 1 & 1, n >> 2] for n in range(8)]) * 255
    greys = np.arange(0, 256, 37)[:7]
    greys = np.repeat(np.append(greys, 254)[:, None], 3, 1)
    random = np.random.default_rng(0).integers(0, 256, (62, 8, 3))
    return np.concatenate([corners[None], greys[None], random]).astype(np.uint8)


def test_colours_come_back_from_their_parts():
    for image in (every_corner(), checks.photograph()):
        found = hsv.colour(*hsv.parts(jnp.asarray(image)))
        np.testing.assert_array_equal(found, image)


def test_value_and_range_are_the_usual_ones():
    image = every_corner()
    _, value, span = hsv.parts(jnp.asarray(image))
    _, saturation, expected = reference.to_hsv(image / 255)
    np.testing.assert_allclose(value[..., 0], 255 * expected, rtol=1e-6)
    # A few roundings of float32, of numbers up to 255.
    np.testing.assert_allclose(
        span[..., 0], 255 * saturation * expected, rtol=1e-6, atol=1e-4
    )


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_hues_stay_when_the_saturation_changes(share):
    image = every_corner()[2:]
    hue, value, span = hsv.parts(jnp.asarray(image))
    found = np.asarray(hsv.colour(hue, value, share * span))
    for colour, got in zip(image.reshape(-1, 3), found.reshape(-1, 3), strict=True):
        h, s, v = colorsys.rgb_to_hsv(*(colour / 255))
        expected = np.array(colorsys.hsv_to_rgb(h, share * s, v)) * 255
        # Rounded down, where that may fall on either side of a whole level.
        assert (np.abs(got + 0.5 - expected) <= 0.5 + 1e-3).all()


def test_whole_levels_do_not_fall_short():
    image = np.random.default_rng(0).integers(0, 128, (64, 64, 3)).astype(np.uint8) * 2
    hue, value, span = hsv.parts(jnp.asarray(image))
    largest = image.max(2, keepdims=True)
    expected = largest - (largest - image) // 2
    np.testing.assert_array_equal(hsv.colour(hue, value, span / 2), expected)
    coloured = np.ptp(image, 2) > 0
    exact = np.asarray(value - hue * (span / 2))
    assert (np.floor(exact) != expected)[coloured].any()  # float32 alone does
