"""Where are the edges of an image (Canny 1986)?"""

import math

import numpy as np
from jaxtyping import Bool, Float
from scipy import ndimage

DEVIATION = math.sqrt(2)  # of the Gaussian, in pixels
SHARE = 0.9  # of the pixels have a gradient below that of a strong edge
WEAK = 0.4  # of a strong edge's gradient is enough where a strong one is joined

# Steps (down, right) to the next pixel, by the gradient's direction in 45 degrees.
_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1))


def edges(image: Float[np.ndarray, "h w"]) -> Bool[np.ndarray, "h w"]:
    """Return where the gradient has a maximum across an edge that is strong somewhere.

    An image of one grey has none.
    """
    down = ndimage.gaussian_filter(image, DEVIATION, order=(1, 0))
    right = ndimage.gaussian_filter(image, DEVIATION, order=(0, 1))
    size = np.hypot(down, right)
    strong = np.quantile(size, SHARE)
    thin = _maximal(size, np.arctan2(down, right)) & (size > WEAK * strong)
    parts, count = ndimage.label(thin, np.ones((3, 3)))
    kept = np.zeros(count + 1, bool)
    kept[np.unique(parts[size > strong])] = True
    kept[0] = False  # the label of what is no maximum
    return kept[parts]


def _maximal(
    size: Float[np.ndarray, "h w"], angle: Float[np.ndarray, "h w"]
) -> Bool[np.ndarray, "h w"]:
    """Return where neither neighbour along the gradient is larger."""
    direction = np.round(angle / (math.pi / 4)).astype(int) % 4
    padded = np.pad(size, 1)
    height, width = size.shape
    found = np.zeros(size.shape, bool)
    for number, (down, right) in enumerate(_STEPS):
        ahead = padded[1 + down :, 1 + right :][:height, :width]
        behind = padded[1 - down :, 1 - right :][:height, :width]
        found |= (direction == number) & (size >= ahead) & (size > behind)
    return found
