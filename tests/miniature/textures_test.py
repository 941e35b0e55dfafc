"""Are the sixteen textures what is said of them?"""

import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.miniature import textures

PERIODS = 16  # along a side of what is looked at
SIDE = 256
SQRT3 = 3**0.5

# Shifts (u, v) after which a texture is the same again, worked out from its formula.
PERIODIC = {
    "stripes": [(1, 0), (0, 0.37)],
    "checker": [(1 / 0.62, 0), (0, 1 / 0.62)],
    "dots": [(1, 0), (0, 2), (0.5, 1)],
    "net": [(1 / 0.9, 0), (0, 1 / 0.9)],
    "bricks": [(1 / 0.55, 0), (0, 2 / 1.1), (0.5 / 0.55, 1 / 1.1)],
    "zigzag": [(1 / 0.6, 0), (0, 1)],
    "scales": [(1, 0), (0, 1), (0.5, 0.5)],
    "pluses": [(0.8, 0), (0, 1.6)],
    "bubbles": [(0.8, 0), (0, 1.6)],
    "sails": [(1 / 0.75, 0), (0, 1 / 0.75)],
    "honeycomb": [(1 / 0.9, 0), (0, SQRT3 / 0.9), (0.5 / 0.9, SQRT3 / 1.8)],
    "plaid": [(1 / 0.6, 0), (0, 1 / 0.6)],
}


@pytest.fixture(params=list(textures.TEXTURES))
def name(request):
    return request.param


def values(name, seed=0, shift=(0, 0), side=SIDE):
    rng = np.random.default_rng(seed)
    ticks = (np.arange(side) + 0.5) * PERIODS / SIDE
    u, v = np.meshgrid(*(ticks + offset for offset in rng.uniform(0, 20, 2)))
    u, v = (jnp.asarray(w + s, jnp.float32) for w, s in zip((u, v), shift, strict=True))
    phases = jnp.asarray(rng.uniform(0, 2 * np.pi, 6), jnp.float32)
    return np.asarray(textures.TEXTURES[name](u, v, phases))


def test_values_span_most_of_zero_to_one(name):
    found = values(name)
    assert found.min() >= 0 and found.max() <= 1
    assert found.min() < 0.1 and found.max() > 0.9
    assert 0.15 < found.mean() < 0.85 and found.std() > 0.2


@pytest.mark.parametrize("name", PERIODIC)
def test_a_periodic_texture_repeats(name):
    for shift in PERIODIC[name]:
        change = abs(values(name, shift=shift) - values(name))
        # Rounding moves a threshold by less than one pixel in a thousand.
        assert np.mean(change > 0.02) < 0.002
        half = abs(
            values(name, shift=(0.41 * shift[0], 0.41 * shift[1])) - values(name)
        )
        assert name == "stripes" or np.mean(half > 0.02) > 0.1


def test_the_grain_is_about_a_period(name):
    found = values(name)
    power = abs(np.fft.fft2(found - found.mean())) ** 2
    cycles = np.fft.fftfreq(SIDE, PERIODS / SIDE)
    radius = np.hypot(*np.meshgrid(cycles, cycles))
    band = (radius > 0.3) & (radius < 4)
    assert power[band].sum() > 0.8 * power.sum()


def test_textures_are_told_apart_by_their_spectra():
    """No two agree: samples of other phases lie next to those of their own texture."""

    def features(seed):
        spectra = []
        for name in textures.TEXTURES:
            found = values(name, seed)
            power = abs(np.fft.rfft2(found - found.mean()))[: SIDE // 2]
            coarse = power[:64, :64].reshape(16, 4, 16, 4).mean((1, 3))
            spectra.append(np.log(coarse + 1).ravel())
        return np.array(spectra)

    first, second = features(1), features(2)
    far = ((first[:, None] - second[None]) ** 2).sum(2)
    assert np.array_equal(far.argmin(1), np.arange(16))


@pytest.mark.parametrize("name", ["camo", "wood", "mosaic"])
def test_phases_change_the_irregular_ones(name):
    rng = np.random.default_rng(3)
    u, v = np.meshgrid(*2 * [np.linspace(0, 5, 64, dtype=np.float32)])
    first, second = (
        np.asarray(textures.TEXTURES[name](jnp.asarray(u), jnp.asarray(v), phases))
        for phases in jnp.asarray(rng.uniform(0, 6, (2, 6)), jnp.float32)
    )
    assert abs(first - second).mean() > 0.1
