"""How are the images of model-vs-human degraded?

Geirhos et al. 2018, 'Generalisation in humans and deep neural networks', and its
published programs, except where a function says otherwise. Grey images are float64
in [0, 1], [h, w]; results are clipped to that range.
"""

import math

import numpy as np
from jaxtyping import Complex, Float, UInt8
from scipy import ndimage

GREY = (0.2125, 0.7154, 0.0721)  # ITU-R BT.709, as scikit-image's rgb2gray
MEAN_GREY = 0.4423  # of the published images: beyond the frame, and after a high pass
NOISE_CONTRAST = 0.3  # of images under uniform noise

Grey = Float[np.ndarray, "h w"]


def grey(image: UInt8[np.ndarray, "h w 3"]) -> Grey:
    """Return the luminance of an image."""
    return image @ np.array(GREY) / 255


def contrast(image: Grey, level: float) -> Grey:
    """Return an image drawn towards middle grey; a level of 1 leaves it."""
    return (1 - level) / 2 + level * image


def low_pass(image: Grey, deviation: float) -> Grey:
    """Return an image under a Gaussian of this standard deviation in pixels."""
    return np.clip(_blurred(image, deviation), 0, 1)


def high_pass(image: Grey, deviation: float) -> Grey:
    """Return what a Gaussian takes away, on `MEAN_GREY`; inf leaves the image."""
    if math.isinf(deviation):
        return image
    rest = image - _blurred(image, deviation)
    return np.clip(rest + MEAN_GREY - rest.mean(), 0, 1)


def hybrid(low: Grey, high: Grey, cut: float) -> Grey:
    """Return the low frequencies of one image with the high ones of another.

    As Oliva et al. 2006, 'Hybrid images': a Gaussian in the frequency, which is a half
    at `cut` cycles per image, and its complement. The mean is that of `low`.
    """
    frequencies = [np.fft.fftfreq(side) * side / cut for side in low.shape]
    square = frequencies[0][:, None] ** 2 + frequencies[1] ** 2
    gain = 2.0**-square
    return _clipped_inverse(gain * np.fft.fft2(low) + (1 - gain) * np.fft.fft2(high))


def uniform_noise(image: Grey, width: float, rng: np.random.Generator) -> Grey:
    """Return an image of low contrast plus noise, uniform in [-width, width)."""
    noise = rng.uniform(-width, width, image.shape)
    return np.clip(contrast(image, NOISE_CONTRAST) + noise, 0, 1)


def phase_scrambled(image: Grey, width: float, rng: np.random.Generator) -> Grey:
    """Return an image whose phases are shifted by up to `width` degrees.

    Each frequency by its own uniform shift, its conjugate by the opposite one, those
    that are their own conjugates by none: so the image stays real.
    """
    spectrum = np.fft.fft2(image)
    shifts = np.radians(rng.uniform(-width, width, image.shape))
    place = np.arange(image.size).reshape(image.shape)
    mirrored = np.roll(place[::-1, ::-1], (1, 1), (0, 1))  # where -k lies
    opposite = shifts.ravel()[mirrored]
    shifts = np.select([place < mirrored, place > mirrored], [shifts, -opposite], 0.0)
    return _clipped_inverse(spectrum * np.exp(1j * shifts))


def power_equalised(image: Grey, amplitude: Grey) -> Grey:
    """Return an image of these amplitudes and its own phases."""
    return _clipped_inverse(amplitude * np.exp(1j * np.angle(np.fft.fft2(image))))


def mean_amplitude(images: Float[np.ndarray, "n h w"]) -> Grey:
    """Return the mean of the images' amplitude spectra."""
    return np.mean([np.abs(np.fft.fft2(image)) for image in images], axis=0)


def rotated(image: Grey, degrees: int) -> Grey:
    """Return an image turned to the left by a multiple of 90 degrees."""
    return np.rot90(image, degrees // 90)


def opponent(image: UInt8[np.ndarray, "h w 3"]) -> Float[np.ndarray, "h w 3"]:
    """Return the opponent colours, of the same luminance where the gamut allows.

    The published images turn the two chromatic axes of a calibrated monitor's DKL
    space; here they are turned in RGB, about the grey of equal luminance.
    """
    return np.clip(2 * grey(image)[..., None] - image / 255, 0, 1)


def _blurred(image: Grey, deviation: float) -> Grey:
    return ndimage.gaussian_filter(image, deviation, mode="constant", cval=MEAN_GREY)


def _clipped_inverse(spectrum: Complex[np.ndarray, "h w"]) -> Grey:
    return np.clip(np.fft.ifft2(spectrum).real, 0, 1)
