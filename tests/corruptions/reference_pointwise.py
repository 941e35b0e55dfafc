"""Noises, colours, pixels and JPEG files stated in NumPy float64 and by Pillow.

Each takes an image, uint8 [h, w, 3], a severity and the draws, and returns the like.
"""

import io

import numpy as np
from PIL import Image


def finished(values):
    """Return colours in [0, 1] as bytes, rounded down."""
    return (np.clip(values, 0, 1) * 255).astype(np.uint8)


def gaussian_noise(image, severity, normal):
    scale = [0.08, 0.12, 0.18, 0.26, 0.38][severity - 1]
    return finished(image / 255 + scale * normal)


def speckle_noise(image, severity, normal):
    scale = [0.15, 0.2, 0.35, 0.45, 0.6][severity - 1]
    return finished(image / 255 * (1 + scale * normal))


def photons(severity):
    return [60, 25, 12, 5, 3][severity - 1]


def shot_noise(image, severity, counts):
    return finished(counts / photons(severity))


def share(severity):
    return [0.03, 0.06, 0.09, 0.17, 0.27][severity - 1]


def impulse_noise(image, severity, flip, salt):
    return np.where(flip, 255 * salt, image).astype(np.uint8)


def contrast(image, severity):
    factor = [0.4, 0.3, 0.2, 0.1, 0.05][severity - 1]
    mean = image.mean((0, 1), dtype=float) / 255
    return finished((image / 255 - mean) * factor + mean)


def brightness(image, severity):
    hue, saturation, value = to_hsv(image / 255)
    raised = np.clip(value + severity / 10, 0, 1)
    return finished(to_rgb(hue, saturation, raised))


def saturate(image, severity):
    change = [(0.3, 0), (0.1, 0), (2, 0), (5, 0.1), (20, 0.2)]
    factor, added = change[severity - 1]
    hue, saturation, value = to_hsv(image / 255)
    return finished(to_rgb(hue, np.clip(saturation * factor + added, 0, 1), value))


def to_hsv(image):
    """Return hue, saturation and value, each [h, w] in [0, 1]; grey has hue 0."""
    red, green, blue = np.moveaxis(image, 2, 0)
    value, span = image.max(2), np.ptp(image, 2)
    safe = np.where(span > 0, span, 1)
    hue = np.select(
        [value == blue, value == green],
        [4 + (red - green) / safe, 2 + (blue - red) / safe],
        (green - blue) / safe,
    )
    hue = np.where(span > 0, hue / 6 % 1, 0)
    return hue, span / np.where(value > 0, value, 1), value


def to_rgb(hue, saturation, value):
    sector = np.floor(6 * hue)
    part = 6 * hue - sector
    p = value * (1 - saturation)
    q = value * (1 - part * saturation)
    t = value * (1 - (1 - part) * saturation)
    corners = [
        (value, t, p),
        (q, value, p),
        (p, value, t),
        (p, q, value),
        (t, p, value),
        (value, p, q),
    ]
    chosen = np.array(corners)  # [6, 3, h, w]
    index = (sector.astype(int) % 6)[None, None]
    return np.moveaxis(np.take_along_axis(chosen, index, 0)[0], 0, 2)


def pixelate(image, severity):
    scale = [0.6, 0.5, 0.4, 0.3, 0.25][severity - 1]
    height, width = image.shape[:2]
    small = (int(width * scale), int(height * scale))
    picture = Image.fromarray(image).resize(small, Image.Resampling.BOX)
    return np.array(picture.resize((width, height), Image.Resampling.NEAREST))


def round_trip(image, quality):
    """Return the image from a JPEG file of this quality."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=quality)
    return np.array(Image.open(file))


def jpeg_compression(image, severity):
    return round_trip(image, [25, 18, 15, 10, 7][severity - 1])
