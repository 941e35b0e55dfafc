"""What stands in for the photographs of frost where they are not at hand?

Textures of the same sizes, means and standard deviations of the colours, and slopes of
the spectrum: noise, and crystals that branch. What a model makes of them is near what
it makes of the photographs, not the same.
"""

import functools
from typing import NamedTuple

import numpy as np

from biases_jax.types import Float, UInt8

NAME = "synthetic-v1"


class Statistics(NamedTuple):
    """What a photograph is like: its colours in levels, and its spectrum's slope.

    The slope is of the logarithm of the power against that of the frequency.
    """

    size: tuple[int, int]  # height, width
    means: tuple[int, int, int]
    deviations: tuple[int, int, int]
    slope: float


# Of the files of imagecorruptions 1.1.2; the second and the third are one photograph.
PHOTOGRAPHS = (
    Statistics((600, 900), (78, 149, 166), (27, 17, 15), -0.8),
    Statistics((315, 560), (201, 205, 215), (21, 22, 23), -1.9),
    Statistics((315, 560), (201, 205, 215), (21, 22, 23), -1.9),
    Statistics((350, 527), (138, 153, 165), (29, 29, 30), -1.1),
    Statistics((495, 660), (112, 123, 135), (44, 43, 42), -2.0),
)
CRYSTALS = 40
BRANCHING = 6  # angles between branches are sixths of a turn, as ice's are
SHARE_OF_CRYSTALS = 0.35  # of the amplitude, before the spectrum is set


@functools.cache
def textures() -> tuple[UInt8[np.ndarray, "h w 3"], ...]:
    """Return the five textures, the same at every call."""
    # A crop is of the second photograph twice as often as of another: so here.
    seeds = [PHOTOGRAPHS.index(photograph) for photograph in PHOTOGRAPHS]
    pairs = zip(PHOTOGRAPHS, seeds, strict=True)
    return tuple(_texture(photograph, seed) for photograph, seed in pairs)


def _texture(like: Statistics, seed: int) -> UInt8[np.ndarray, "h w 3"]:
    generator = np.random.RandomState(seed)  # whose stream is frozen
    noise = generator.standard_normal(like.size)
    crystals = _standard(_crystals(generator, like.size))
    mixed = SHARE_OF_CRYSTALS * crystals + (1 - SHARE_OF_CRYSTALS) * noise
    layer = _standard(_with_slope(mixed, like.slope))
    values = np.array(like.means) + np.array(like.deviations) * layer[..., None]
    return np.rint(values).clip(0, 255).astype(np.uint8)


def _with_slope(
    layer: Float[np.ndarray, "h w"], slope: float
) -> Float[np.ndarray, "h w"]:
    """Return the layer with the power of a slope at each frequency, its phases kept.

    The power is set ring by ring, so that within a ring it stays uneven.
    """
    spectrum = np.fft.fft2(layer)
    rows, columns = (np.fft.fftfreq(side) for side in layer.shape)
    radius = np.hypot(rows[:, None], columns)
    ring = np.rint(radius * min(layer.shape)).astype(int)
    power = np.bincount(ring.ravel(), np.abs(spectrum.ravel()) ** 2)
    power /= np.maximum(np.bincount(ring.ravel()), 1)
    radius[0, 0] = np.inf  # no constant
    gain = radius ** (slope / 2) / np.sqrt(np.maximum(power, 1e-12))[ring]
    return np.fft.ifft2(spectrum * gain).real


def _standard(layer: Float[np.ndarray, "h w"]) -> Float[np.ndarray, "h w"]:
    return (layer - layer.mean()) / layer.std()


def _crystals(
    generator: np.random.RandomState, size: tuple[int, int]
) -> Float[np.ndarray, "h w"]:
    """Return stars of ice on a torus: arms, with branches half as long and again."""
    layer = np.zeros(size)
    for _ in range(CRYSTALS):
        centre = generator.uniform(0, size)
        turn, length = generator.uniform(0, 2 * np.pi), generator.uniform(0.05, 0.25)
        for arm in range(BRANCHING):
            direction = turn + 2 * np.pi * arm / BRANCHING
            _grow(layer, centre, direction, length * min(size))
    return layer


def _grow(layer, start, direction, length):
    """Draw a branch, and from it shorter and fainter ones to both sides."""
    if length < 4:
        return
    way = np.array([np.sin(direction), np.cos(direction)])
    along = np.arange(length)[:, None] * way
    rows, columns = np.rint(start + along).astype(int).T
    layer[rows % layer.shape[0], columns % layer.shape[1]] += np.sqrt(length)
    for place in (1 / 3, 2 / 3):
        for side in (-1, 1):
            turned = direction + side * 2 * np.pi / BRANCHING
            _grow(layer, start + place * length * way, turned, length * (1 - place) / 2)
