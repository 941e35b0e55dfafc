"""Are images enlarged by the cubic kernel that is stated?"""

import numpy as np
import pytest

from biases_jax.corruptions import cubic


def weight(distance):
    """Return Keys' kernel with a = -0.75, by its coefficients."""
    x = abs(distance)
    if x < 1:
        return 1.25 * x**3 - 2.25 * x**2 + 1
    return -0.75 * (x**3 - 5 * x**2 + 8 * x - 4) if x < 2 else 0.0


@pytest.mark.parametrize(("height", "width"), [(10, 8), (9, 7), (18, 23)])
def test_each_point_is_the_weighted_mean_of_sixteen(height, width):
    image = np.random.RandomState(3).randint(0, 256, (9, 7, 3)).astype(np.uint8)
    found = cubic.enlarged(image, height, width)
    assert found.shape == (height, width, 3) and found.dtype == np.uint8
    padded = np.pad(image.astype(float), ((3, 3), (3, 3), (0, 0)), mode="edge")
    for row in range(height):
        for column in range(width):
            y, x = (row + 0.5) * 9 / height - 0.5, (column + 0.5) * 7 / width - 0.5
            expected = sum(
                weight(y - i) * weight(x - j) * padded[i + 3, j + 3]
                for i in range(-3, 12)
                for j in range(-3, 10)
            )
            # Half of a level is lost in rounding.
            apart = np.abs(found[row, column] - expected.clip(0, 255))
            assert apart.max() <= 0.5 + 1e-9


def test_an_image_of_one_colour_stays_so():
    image = np.full((20, 30, 3), (0, 128, 255), np.uint8)
    assert (cubic.enlarged(image, 22, 33) == [0, 128, 255]).all()
