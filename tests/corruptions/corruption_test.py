"""Does a corruption refuse what is no severity and no image of bytes?"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.corruptions import corruption
from biases_jax.transforms import traced_fields


@dataclasses.dataclass(frozen=True)
class Darker(corruption.Graded):
    """Take ten levels a severity."""

    def parameters(self, shape):
        return {"less": np.float32(10 * self.severity)}

    def corrupt(self, image, draws, parameters):
        return corruption.truncated(image.astype(jnp.float32) - parameters["less"])


@pytest.mark.parametrize("severity", [0, -1, 6, 2.5, 3.0, True, "1", None])
def test_severities_are_whole_numbers_from_one_to_five(severity):
    with pytest.raises(ValueError, match="expected a whole number from 1 to 5"):
        Darker(severity)


@pytest.mark.parametrize(
    "image",
    [
        np.zeros((8, 8, 3), np.float32),
        np.zeros((8, 8, 3), np.int32),
        np.zeros((8, 8), np.uint8),
        np.zeros((8, 8, 4), np.uint8),
        np.zeros((1, 8, 8, 3), np.uint8),
    ],
    ids=lambda image: f"{image.dtype}{image.shape}",
)
def test_images_are_of_bytes_and_three_colours(image):
    with pytest.raises(ValueError, match="expected RGB of uint8"):
        Darker(1).apply(image, {})
    with pytest.raises(ValueError, match="expected RGB of uint8"):
        Darker(1)(jax.random.key(0), image)


def test_values_are_cut_and_rounded_down():
    values = jnp.array([[[-3.0, 0.99, 254.99], [255.0, 255.5, 300.0]]])
    found = corruption.truncated(values)
    assert found.dtype == jnp.uint8
    assert found.tolist() == [[[0, 0, 254], [255, 255, 255]]]


def test_bytes_are_parts_of_255():
    image = jnp.arange(255, dtype=jnp.uint8).reshape(5, 17, 3)
    unit = np.asarray(corruption.unit(image), np.float64).ravel()
    # A float32 division, or a multiplication by the reciprocal, is this exact.
    np.testing.assert_allclose(unit, np.arange(255) / 255, rtol=2e-7)


def test_a_graded_corruption_compiles_without_its_severity():
    assert traced_fields(Darker(2)) == ("severity",)
    image = jnp.full((4, 4, 3), 100, jnp.uint8)
    assert Darker(2)(jax.random.key(0), image).tolist() == [[[80] * 3] * 4] * 4
