"""Are images from JPEG files equal to Pillow's in every byte?"""

import functools

import jax
import numpy as np
import pytest
from corruptions import checks, golden
from corruptions import reference_pointwise as reference

from biases_jax.corruptions import jpeg

QUALITIES = (1, 7, 10, 15, 18, 25, 49, 50, 75, 85, 95, 100)


@functools.cache
def round_trip():
    return jax.jit(jpeg.round_trip)


def noise(shape):
    return np.random.default_rng(0).integers(0, 256, (*shape, 3)).astype(np.uint8)


def binary(shape):
    return (noise(shape) // 128 * 255).astype(np.uint8)


def checkerboard(shape, side):
    row, column = np.indices(shape) // side
    return np.repeat(((row + column) % 2 * 255).astype(np.uint8)[..., None], 3, 2)


def colours(shape):
    """Return all corners of the colour cube beside each other."""
    index = np.random.default_rng(1).integers(0, 8, (shape[0] // 8, shape[1] // 8))
    corners = np.stack([index & 1, index >> 1 & 1, index >> 2], 2) * 255
    return corners.repeat(8, 0).repeat(8, 1).astype(np.uint8)


PICTURES = {
    "astronaut": lambda: golden.image("astronaut"),
    "chelsea": lambda: golden.image("chelsea"),
    "coffee": lambda: checks.photograph(224, 224),
    "noise": lambda: noise((224, 224)),
    "binary": lambda: binary((224, 224)),
    "colours": lambda: colours((224, 224)),
    "white": lambda: np.full((224, 224, 3), 255, np.uint8),
} | {
    f"checkerboard of {side}": lambda side=side: checkerboard((224, 224), side)
    for side in (1, 2, 3, 8, 16)
}


@pytest.mark.parametrize("picture", PICTURES)
def test_every_quality_is_pillows(picture):
    image = PICTURES[picture]()
    for quality in QUALITIES:
        got = round_trip()(image, jpeg.tables(quality))
        expected = reference.round_trip(image, quality)
        np.testing.assert_array_equal(got, expected, err_msg=f"quality {quality}")


# Multiples of 16, of 8, of neither; odd; one more, one less than a multiple: chroma's
# last row and column lie at every kind of place in a block.
SIDES = [(32, 48), (40, 48), (48, 40), (33, 47), (50, 63), (97, 131), (45, 34)]


@pytest.mark.parametrize("shape", SIDES, ids=str)
def test_sides_need_not_be_multiples_of_16(shape):
    for image in (checks.photograph(*shape), noise(shape)):
        for quality in (10, 85):
            got = round_trip()(image, jpeg.tables(quality))
            np.testing.assert_array_equal(got, reference.round_trip(image, quality))


def test_tables_are_the_standards():
    assert jpeg.tables(50)[0].tolist() == [list(row) for row in jpeg.LUMINANCE]
    assert jpeg.tables(25)[0, 0].tolist() == [32, 22, 20, 32, 48, 80, 102, 122]
    assert jpeg.tables(85)[0, 0].tolist() == [5, 3, 3, 5, 7, 12, 15, 18]
    assert (jpeg.tables(100) == 1).all() and jpeg.tables(1).max() == 255


@pytest.mark.parametrize("quality", [0, 101, -1, 85.0, True, "85", None])
def test_qualities_are_whole_numbers_from_1_to_100(quality):
    with pytest.raises(ValueError, match="whole number from 1 to 100"):
        jpeg.tables(quality)


def test_all_qualities_compile_once():
    traced = []

    def counted(image, tables):
        traced.append(1)
        return jpeg.round_trip(image, tables)

    compiled = jax.jit(counted)
    for quality in (7, 85):
        compiled(noise((32, 32)), jpeg.tables(quality))
    assert len(traced) == 1
