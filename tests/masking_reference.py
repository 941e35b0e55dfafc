"""The masking stimuli stated in NumPy and SciPy, float64, without a matrix."""

import numpy as np
from scipy import ndimage

KERNEL = np.sqrt(2) * np.array([1, 4, 6, 4, 1]) / 16


def smooth(field):
    """Correlate both axes with the kernel; 'mirror' does not repeat the edge."""
    for axis in (0, 1):
        field = ndimage.correlate1d(field, KERNEL, axis=axis, mode="mirror")
    return field


def down(field):
    return smooth(field)[::2, ::2]


def up(field, shape):
    spread = np.zeros(shape)
    spread[::2, ::2] = field
    return smooth(spread)


def bands(noise, levels=7):
    """Return the levels' fields before equalisation, finest first."""
    gaussian = [noise]
    for _ in range(levels - 1):
        gaussian.append(down(gaussian[-1]))
    shapes = [field.shape for field in gaussian]
    fields = []
    for level, field in enumerate(gaussian):
        if level < levels - 1:
            field = field - up(gaussian[level + 1], shapes[level])
        for shape in reversed(shapes[:level]):
            field = up(field, shape)
        fields.append(field)
    return fields


def rms(field):
    return np.sqrt(np.mean(field**2))


def grey(luma):
    """Return the low-contrast image of grey values 0 to 255."""
    image = luma / 255
    return (image - image.mean()) * 0.2 + 0.449


def masked(base, noise, frequency, sd):
    """Return the sum of a grey image and unit white noise's band, unlimited."""
    fields = bands(sd * noise)
    band = fields[6 - frequency]
    return base + band * rms(fields[0]) / rms(band)


def inside(total):
    """Return it with what is out of range brought in, where nothing is redrawn."""
    return np.where(total < 0, 0.1, np.where(total > 1, 0.9, total))
