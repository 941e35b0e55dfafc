"""What is an image enlarged by cubic interpolation, as OpenCV does it?"""

import numpy as np

from biases_jax.types import Float, UInt8

SHARPNESS = -0.75  # of the kernel of Keys (1981), which OpenCV has so


def enlarged(image: UInt8[np.ndarray, "h w 3"], height: int, width: int):
    """Return the image, uint8 [height, width, 3], interpolated and rounded.

    Centres of pixels lie at halves, and the border is repeated. Of 1 in 100,000 values
    OpenCV's own arithmetic is a level off.
    """
    rows, columns = _matrix(image.shape[0], height), _matrix(image.shape[1], width)
    values = np.einsum("ij,jkc->ikc", rows, image, optimize=True)
    values = np.einsum("kl,ilc->ikc", columns, values, optimize=True)
    return np.rint(values).clip(0, 255).astype(np.uint8)


def _matrix(size: int, points: int) -> Float[np.ndarray, "points size"]:
    """Return the weights, float64, of an axis's points for each new one."""
    places = (np.arange(points) + 0.5) * size / points - 0.5
    first = np.floor(places).astype(int) - 1
    matrix = np.zeros((points, size))
    for source in (first, first + 1, first + 2, first + 3):
        weights = _kernel(np.abs(places - source))
        np.add.at(matrix, (np.arange(points), source.clip(0, size - 1)), weights)
    return matrix


def _kernel(distance: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    a = SHARPNESS
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = a * (((distance - 5) * distance + 8) * distance - 4)
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0))
