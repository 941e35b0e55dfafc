"""What is snow in float64, pixel by pixel along each flake's fall?"""

import math

import numpy as np
from scipy import ndimage

TABLE = {  # mean, deviation, zoom, threshold, radius, deviation of the blur, mix
    1: (0.1, 0.3, 3, 0.5, 10, 4, 0.8),
    2: (0.2, 0.3, 2, 0.5, 12, 4, 0.7),
    3: (0.55, 0.3, 4, 0.9, 12, 8, 0.7),
    4: (0.55, 0.3, 4.5, 0.85, 12, 8, 0.65),
    5: (0.55, 0.3, 2.5, 0.85, 12, 12, 0.55),
}


def snow(image, normal, angle, severity, flavour):
    """Return the image in snow, uint8; `angle` in degrees."""
    mean, deviation, zoom, threshold, radius, blur, mix = TABLE[severity]
    height, width, _ = image.shape
    layer = enlarged(mean + deviation * np.asarray(normal, float), zoom)
    layer[layer < threshold] = 0
    layer = layer.clip(0, 1)
    if flavour == "original":
        layer = np.floor(255 * layer[:height, :width])
        # Whole 65535ths, rounded, as ImageMagick keeps what it then rounds down.
        parts = np.rint(257 * fallen(layer, angle, radius, blur))
        layer = np.floor(parts / 257)
    else:
        layer = np.rint(255 * fallen(layer, angle, radius, blur))[:height, :width]
    pixels = image.astype(np.float32) / np.float32(255)
    grey = sum(
        pixels[..., i] * np.float32(w) for i, w in enumerate((0.299, 0.587, 0.114))
    )
    bright = np.maximum(pixels, grey[..., None] * np.float32(1.5) + np.float32(0.5))
    pixels = np.float32(mix) * pixels + np.float32(1 - mix) * bright
    flakes = layer[..., None] / 255
    total = pixels.astype(float) + flakes + np.rot90(flakes, 2)
    return (255 * total.clip(0, 1)).astype(np.uint8)


def enlarged(layer, factor):
    """Return the middle of the layer, enlarged: SciPy's linear zoom."""
    parts = [math.ceil(size / factor) for size in layer.shape]
    tops = [(size - part) // 2 for size, part in zip(layer.shape, parts, strict=True)]
    middle = tuple(slice(t, t + p) for t, p in zip(tops, parts, strict=True))
    return ndimage.zoom(layer[middle], factor, order=1)


def fallen(layer, angle, radius, deviation):
    """Return the weighted mean along the fall from each pixel on."""
    along = np.arange(2 * radius + 1)
    weights = np.exp(-(along**2) / (2 * deviation**2))
    rows, columns = np.indices(layer.shape)
    total = np.zeros(layer.shape)
    for step, weight in zip(along, weights / weights.sum(), strict=True):
        down = math.ceil(step * math.sin(math.radians(angle)) - 0.5)
        right = math.ceil(step * math.cos(math.radians(angle)) - 0.5)
        total += (
            weight
            * layer[
                (rows + down).clip(0, layer.shape[0] - 1),
                (columns + right).clip(0, layer.shape[1] - 1),
            ]
        )
    return total
