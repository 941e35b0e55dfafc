"""Do the degradations have the closed forms that are published?"""

import math

import numpy as np
import pytest

from biases_jax.miniature import degradations
from biases_jax.miniature import manipulations as m

SIDE = 64


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def picture(rng):
    """Return coloured noise of middle values, which no filter here clips."""
    return rng.integers(90, 150, (SIDE, SIDE, 3), dtype=np.uint8)


@pytest.fixture
def image(picture):
    return m.grey(picture)


def wave(cycles, amplitude=0.2):
    """Return a grating around the grey that lies beyond the frame."""
    x = 2 * np.pi * cycles * np.arange(SIDE) / SIDE
    return np.broadcast_to(m.MEAN_GREY + amplitude * np.sin(x), (SIDE, SIDE)).copy()


@pytest.mark.parametrize(("low", "high"), [(2, 20), (4, 8), (8, 3)])
def test_a_hybrid_has_the_slow_grating_of_one_image_and_the_fast_one_of_another(
    low, high
):
    cut = 8.0
    made = m.hybrid(wave(low), wave(high).T + 0.1, cut)
    slow = 2.0 ** -((low / cut) ** 2) * (wave(low) - m.MEAN_GREY)
    fast = (1 - 2.0 ** -((high / cut) ** 2)) * (wave(high).T - m.MEAN_GREY)
    # The mean of the second image is a low frequency of it, and so left out.
    np.testing.assert_allclose(made, m.MEAN_GREY + slow + fast, atol=1e-12)
    assert np.allclose(m.hybrid(wave(low), wave(low), cut), wave(low))


def test_grey_weighs_the_colours_as_published():
    colours = np.eye(3, dtype=np.uint8)[None] * 255
    assert np.allclose(m.grey(colours), [[0.2125, 0.7154, 0.0721]])
    assert np.allclose(m.grey(np.full((1, 1, 3), 255, np.uint8)), 1)


@pytest.mark.parametrize("level", [1.0, 0.5, 0.01])
def test_contrast_scales_about_middle_grey(image, level):
    found = m.contrast(image, level)
    assert np.allclose(found - 0.5, level * (image - 0.5))


@pytest.mark.parametrize("deviation", [1.0, 3.0, 7.0])
def test_a_low_pass_weakens_gratings_as_a_gaussian_does(deviation):
    for cycles in (1, 2, 4):
        found = m.low_pass(wave(cycles), deviation)
        middle = slice(SIDE // 2 - 8, SIDE // 2 + 8)  # far from the frame
        frequency = 2 * np.pi * cycles / SIDE
        gain = math.exp(-((deviation * frequency) ** 2) / 2)
        # A kernel cut off at four deviations, and the frame at its tail.
        assert np.allclose(
            (found - m.MEAN_GREY)[middle, middle],
            gain * (wave(cycles) - m.MEAN_GREY)[middle, middle],
            atol=1e-3,
        )


def test_a_low_pass_sees_mean_grey_beyond_the_frame():
    white = np.ones((SIDE, SIDE))
    corner = m.low_pass(white, 5.0)[0, 0]
    # Half the kernel lies inside along either axis, and its middle row as well.
    inside = 0.5 + 0.5 / (5 * math.sqrt(2 * math.pi))
    assert corner == pytest.approx(inside**2 + (1 - inside**2) * m.MEAN_GREY, abs=1e-3)


def test_no_blur_and_an_endless_high_pass_leave_the_image(image):
    assert np.array_equal(m.low_pass(image, 0.0), image)
    assert np.array_equal(m.high_pass(image, math.inf), image)


@pytest.mark.parametrize("deviation", [0.4, 1.0, 3.0])
def test_a_high_pass_is_what_the_low_pass_takes_away(image, deviation):
    rest = image - m.low_pass(image, deviation)
    found = m.high_pass(image, deviation)
    assert np.allclose(found, rest - rest.mean() + m.MEAN_GREY)
    assert found.mean() == pytest.approx(m.MEAN_GREY)


def test_uniform_noise_fills_its_range_on_an_image_of_low_contrast(image, rng):
    width = 0.2
    noise = m.uniform_noise(image, width, rng) - m.contrast(image, 0.3)
    assert abs(noise).max() <= width and abs(noise).max() > 0.999 * width
    # A uniform variable's deviation; a hundredth is three of its standard errors.
    assert noise.std() == pytest.approx(width / math.sqrt(3), rel=0.02)
    wide = m.uniform_noise(image, 0.9, rng)
    assert wide.min() == 0 and wide.max() == 1
    assert np.array_equal(
        m.uniform_noise(image, 0.0, rng), m.contrast(image, m.NOISE_CONTRAST)
    )


@pytest.mark.parametrize("width", [30.0, 90.0, 180.0])
@pytest.mark.parametrize("side", [SIDE, SIDE + 1])
def test_phase_scrambling_moves_phases_and_nothing_else(rng, width, side):
    image = rng.uniform(0.45, 0.55, (side, side))  # so that nothing is clipped
    before = np.fft.fft2(image)
    after = np.fft.fft2(m.phase_scrambled(image, width, rng))
    assert np.allclose(abs(after), abs(before), atol=1e-9)
    shift = np.degrees(np.angle(after * before.conj()))
    assert abs(shift).max() <= width + 1e-6
    assert shift.std() == pytest.approx(width / math.sqrt(3), rel=0.05)
    assert shift[0, 0] == pytest.approx(0, abs=1e-6)  # the mean stays
    mirrored = np.roll(shift[::-1, ::-1], (1, 1), (0, 1))
    inner = abs(shift) < 179  # where the sign is sure
    assert np.allclose(shift[inner], -mirrored[inner], atol=1e-4)


def test_no_scrambling_leaves_the_image(image, rng):
    assert np.allclose(m.phase_scrambled(image, 0.0, rng), image)


def test_power_equalised_images_have_the_mean_amplitude_and_their_phases(rng):
    images = rng.uniform(0.45, 0.55, (4, SIDE, SIDE))
    mean = m.mean_amplitude(images)
    assert np.allclose(mean, np.mean(abs(np.fft.fft2(images)), axis=0))
    for image in images:
        after = np.fft.fft2(m.power_equalised(image, mean))
        assert np.allclose(abs(after), mean, atol=1e-9)
        assert np.allclose(np.angle(after / np.fft.fft2(image)), 0, atol=1e-6)


def test_rotations_are_to_the_left():
    image = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert np.array_equal(m.rotated(image, 0), image)
    assert np.array_equal(m.rotated(image, 90), [[0.2, 0.4], [0.1, 0.3]])
    assert np.array_equal(m.rotated(image, 180), [[0.4, 0.3], [0.2, 0.1]])
    assert np.array_equal(m.rotated(image, 270), [[0.3, 0.1], [0.4, 0.2]])


def test_opponent_colours_keep_the_luminance_and_turn_the_rest(picture):
    found = m.opponent(picture)
    weights = np.array(m.GREY)
    assert np.allclose(found @ weights, m.grey(picture))
    chroma = picture / 255 - m.grey(picture)[..., None]
    assert np.allclose(found - m.grey(picture)[..., None], -chroma)
    back = m.opponent(np.round(found * 255).astype(np.uint8))
    assert np.allclose(back, picture / 255, atol=2 / 255)  # rounded once


@pytest.mark.parametrize("name", degradations.DEGRADED)
def test_all_conditions_give_images_and_the_first_is_the_undistorted_one(
    name, picture, rng
):
    row = degradations.DEGRADED[name]
    amplitude = m.mean_amplitude(m.grey(picture)[None])
    first, *others = (
        np.asarray(row.change(picture, condition, rng, amplitude))
        for condition in row.conditions
    )
    grey = m.grey(picture)
    undistorted = {
        "colour": picture / 255,
        "false-colour": picture / 255,
        "uniform-noise": m.contrast(grey, 0.3),
    }.get(name, grey)
    # Of eidolons the first is the one whose parts are moved least: by a pixel.
    assert name.startswith("eidolon") or np.allclose(first, undistorted)
    for other in others:
        assert other.shape[:2] == (SIDE, SIDE)
        assert other.min() >= 0 and other.max() <= 1
        # Of one image alone, the mean amplitude is its own.
        assert name == "power-equalisation" or not np.allclose(
            other if other.ndim == first.ndim else other[..., None], first, atol=1e-3
        )


def test_conditions_are_the_published_ones():
    counts = {name: len(row.conditions) for name, row in degradations.DEGRADED.items()}
    assert counts == {
        **{"colour": 2, "contrast": 8, "high-pass": 8, "low-pass": 8},
        **{"phase-scrambling": 7, "power-equalisation": 2, "false-colour": 2},
        **{"rotation": 4, "uniform-noise": 8},
        **{"eidolonI": 8, "eidolonII": 8, "eidolonIII": 8},
    }


def test_degradations_grow_along_the_conditions(picture, rng):
    """The contrast that is left falls, the distance from the image grows."""
    for name in ("contrast", "low-pass", "high-pass"):
        row = degradations.DEGRADED[name]
        left = [
            np.std(row.change(picture, condition, rng, picture[..., 0]))
            for condition in row.conditions
        ]
        assert left == sorted(left, reverse=True)
