"""What is left of an image whose parts are moved about, each scale by itself or not?

After the description of eidolons (Koenderink et al. 2017, 'Eidolons: novel stimuli for
vision research', partially coherent disarray), not after the toolbox that made the
published images: how far a reach moves things there is not known to be the same.
"""

import numpy as np
from jaxtyping import Float
from scipy import ndimage

from biases_jax.miniature.manipulations import MEAN_GREY, Grey

SCALES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)  # standard deviations in pixels


def eidolon(
    image: Grey, reach: float, coherence: float, grain: float, rng: np.random.Generator
) -> Grey:
    """Return an image whose layers of different scale are displaced at random.

    Args:
        image: in [0, 1].
        reach: standard deviation of the displacements, in pixels.
        coherence: 1 moves all scales alike, 0 each by itself.
        grain: over which the displacements are alike, standard deviation in pixels.
        rng: of the displacements.
    """
    shared = _field(image.shape, grain, rng)
    result = np.zeros_like(image)
    for layer in layers(image):
        own = _field(image.shape, grain, rng)
        moved = coherence * shared + np.sqrt(1 - coherence**2) * own
        result += _displaced(layer, reach * moved)
    return np.clip(MEAN_GREY + result, 0, 1)


def layers(image: Grey) -> list[Grey]:
    """Return parts of an image, finest first, whose sum it is but for `MEAN_GREY`."""
    blurred = [image - MEAN_GREY]
    blurred += [ndimage.gaussian_filter(blurred[0], scale) for scale in SCALES]
    return [
        *(fine - coarse for fine, coarse in zip(blurred, blurred[1:], strict=False)),
        blurred[-1],
    ]


def _field(shape, grain: float, rng) -> Float[np.ndarray, "2 h w"]:
    """Return a smooth field of vectors; each coordinate has mean square 1."""
    spectrum = np.fft.rfft2(rng.standard_normal((2, *shape)))
    # A filter of width 0 along the first axis leaves it as it is.
    spectrum = ndimage.fourier_gaussian(spectrum, (0, grain, grain), n=shape[1])
    smooth = np.fft.irfft2(spectrum, shape)
    return smooth / np.sqrt((smooth**2).mean((1, 2), keepdims=True))


def _displaced(image: Grey, by: Float[np.ndarray, "2 h w"]) -> Grey:
    places = np.indices(image.shape) + by
    return ndimage.map_coordinates(image, places, order=1, mode="constant", cval=0.0)
