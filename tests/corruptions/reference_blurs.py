"""Blurs and elastic transforms stated in NumPy and SciPy, float64, pixel by pixel.

Each takes an image, uint8 [h, w, 3], a severity and the draws, and returns the like.
"""

import math

import numpy as np
from scipy import ndimage


def finished(values):
    """Return levels of 0 to 255 as bytes, rounded down."""
    return np.clip(values, 0, 255).astype(np.uint8)


def gaussian(image, deviation):
    """Return the bytes' Gaussian filter, in the reference's units of [0, 1]."""
    axes = {"mode": "nearest", "truncate": 4, "axes": (0, 1)}
    return ndimage.gaussian_filter(image / 255, deviation, **axes)


def gaussian_blur(image, severity):
    return finished(255 * gaussian(image, [1, 2, 3, 4, 6][severity - 1]).clip(0, 1))


def glass_blur(image, severity, offsets):
    deviation = [0.7, 0.9, 1, 1.1, 1.5][severity - 1]
    distance = [1, 2, 2, 3, 4][severity - 1]
    pixels = (255 * gaussian(image, deviation)).astype(np.uint8)
    height, width, _ = image.shape
    for sweep in offsets.astype(int):
        for i, h in enumerate(range(height - distance, distance, -1)):
            for j, w in enumerate(range(width - distance, distance, -1)):
                right, down = sweep[i, j]
                pixels[h, w] = pixels[h + down, w + right]
    return finished(255 * gaussian(pixels, deviation).clip(0, 1))


def defocus_blur(image, severity):
    radius, deviation = [(3, 0.1), (4, 0.5), (6, 0.5), (8, 0.5), (10, 0.5)][
        severity - 1
    ]
    half, reach = max(8, radius), 1 if radius <= 8 else 2
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    disc = (x**2 + y**2 <= radius**2).astype(float)
    disc /= disc.sum()
    taps = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * deviation**2))
    for axis in (0, 1):
        disc = ndimage.correlate1d(disc, taps / taps.sum(), axis, mode="mirror")
    # The reference's kernel is of float32, 29 equal weights just below their 29th.
    disc = disc.astype(np.float32).astype(float)
    layers = [
        ndimage.correlate(layer, disc, mode="mirror") for layer in channels(image)
    ]
    return finished(np.stack(layers, -1))


def channels(image):
    return np.moveaxis(image.astype(float), -1, 0)


def line(angle, pixels):
    """Return how far down and right the pixels of a line are, rounded half down."""
    along = np.arange(pixels)
    radians = np.deg2rad(angle)
    down, right = (np.ceil(along * f(radians) - 0.5) for f in (np.sin, np.cos))
    return down.astype(int), right.astype(int)


def motion_blur(image, severity, angle, flavour):
    radius, deviation = [(10, 3), (15, 5), (15, 8), (15, 12), (20, 15)][severity - 1]
    along = np.arange(2 * radius + 1)
    density = np.exp(-(along**2) / (2 * deviation**2))
    density = density / (np.sqrt(2 * np.pi) * deviation)
    height, width, _ = image.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)[None, :]
    total = np.zeros(image.shape)
    for weight, down, right in zip(
        density / density.sum(), *line(angle, len(along)), strict=True
    ):
        row = np.clip(rows + down, 0, height - 1)
        total += weight * image[row, np.clip(columns + right, 0, width - 1)]
    if flavour == "original":  # by way of 16 bits
        return finished(np.round(257 * total) // 257)
    return finished(total)


def zoom_blur(image, severity):
    stops = [(1.11, 0.01), (1.16, 0.01), (1.21, 0.02), (1.26, 0.02), (1.31, 0.03)]
    factors = np.arange(1, *stops[severity - 1])
    unit = (image / np.float32(255)).astype(np.float32)
    total = np.zeros_like(unit)
    height, width, _ = image.shape
    for factor in factors:
        sides = [math.ceil(side / factor) for side in (height, width)]
        top, left = (
            (side - part) // 2
            for side, part in zip((height, width), sides, strict=True)
        )
        part = unit[top : top + sides[0], left : left + sides[1]]
        total += ndimage.zoom(part, (factor, factor, 1), order=1)[:height, :width]
    mean = (unit + total) / np.float32(len(factors) + 1)
    return (np.clip(mean, 0, 1) * 255).astype(np.uint8)


def elastic_imagecorruptions(image, severity, dx, dy):
    alpha = [12.5, 16.25, 21.25, 25, 30][severity - 1]
    deviations = 0.01 * np.array(image.shape[:2])
    return displaced(image, dx, dy, deviations, alpha)


def elastic_original(image, severity, jitter, dx, dy):
    alpha, deviation = [
        (488, 170.8),
        (488, 19.52),
        (12.2, 2.44),
        (17.08, 2.44),
        (29.28, 2.44),
    ][severity - 1]
    height, width, _ = image.shape
    centre, reach = np.array([height // 2, width // 2]), min(height, width) // 3
    points = centre + reach * np.array([[1, 1], [1, -1], [-1, -1]])
    # The map takes the points (right, down) to the moved ones; each pixel looks back.
    ones = np.ones((3, 1))
    back = np.linalg.solve(np.hstack([points + jitter, ones]), points)
    y, x = np.mgrid[:height, :width]
    before = np.stack([x, y, np.ones_like(x)], -1) @ back
    warped = interpolated(image, before[..., 1], before[..., 0], "mirror")
    return displaced(warped, dx, dy, deviation, alpha)


def displaced(image, dx, dy, deviation, alpha):
    right, down = (
        alpha
        * ndimage.gaussian_filter(
            field.astype(float), deviation, mode="reflect", truncate=3
        )
        for field in (dx, dy)
    )
    y, x = np.mgrid[: image.shape[0], : image.shape[1]]
    return finished(interpolated(image, y + down, x + right, "reflect"))


def interpolated(image, rows, columns, mode):
    """Return values at places; `mode` is SciPy's for pixels beyond the border."""
    edge = 2 * max(image.shape)
    padding = ((edge, edge), (edge, edge), (0, 0))
    name = {"mirror": "reflect", "reflect": "symmetric"}[mode]
    padded = np.pad(np.asarray(image, float), padding, mode=name)
    places = np.stack([rows, columns]) + edge
    layers = [
        ndimage.map_coordinates(layer, places, order=1) for layer in channels(padded)
    ]
    return np.stack(layers, -1)
