"""What is spatter in float64, by SciPy's filters and a sum over all displacements?"""

import numpy as np
from scipy import ndimage

TABLE = {  # mean, standard deviation, blur, threshold, amount
    1: (0.65, 0.3, 4, 0.69, 0.6),
    2: (0.65, 0.3, 3, 0.68, 0.6),
    3: (0.65, 0.3, 2, 0.68, 0.5),
    4: (0.65, 0.3, 1, 0.65, None),
    5: (0.67, 0.4, 1, 0.65, None),
}


def spatter(image, normal, severity):
    """Return the image behind water or mud, uint8."""
    mean, deviation, blur, threshold, amount = TABLE[severity]
    liquid = mean + deviation * np.asarray(normal, float)
    liquid = ndimage.gaussian_filter(liquid, blur, mode="nearest", truncate=4)
    pixels = image / 255
    if amount is None:
        # In float32 after either axis, as the reference: it rounds nearly all mud to 1.
        wet = (liquid > threshold).astype(np.float32)
        cover = ndimage.gaussian_filter(wet, 1.5, mode="nearest", truncate=4)
        cover = cover.astype(float)
        cover[cover < 0.8] = 0
        mud = cover[..., None] * np.array([63, 42, 20]) / 255
        pixels = pixels * (1 - cover[..., None]) + mud
    else:
        liquid[liquid < threshold] = 0
        light = water((255 * liquid).astype(np.uint8)) * amount
        pixels = pixels + light[..., None] * np.array([175, 238, 238]) / 255
    return (255 * np.clip(pixels, 0, 1)).astype(np.uint8)


def water(thickness):
    """Return the light of water, 0 to 1."""
    capped = distances(edges(thickness))
    mean = ndimage.correlate(capped, np.ones((3, 3)) / 9, mode="mirror")
    levels = equalised(np.floor(mean + 1e-9).astype(int))
    kernel = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
    ridges = ndimage.correlate(levels, kernel, mode="mirror").clip(0, 255)
    mean = ndimage.correlate(ridges.astype(float), np.ones((3, 3)) / 9, mode="mirror")
    light = thickness * np.rint(mean)
    return light / light.max()


def edges(image):
    """Return Canny's edges with thresholds of 50 and 150, of bytes."""
    levels = image.astype(int)
    x, y = (ndimage.sobel(levels, axis=axis, mode="nearest") for axis in (1, 0))
    steepness = np.pad(np.abs(x) + np.abs(y), 1)
    ridge = np.zeros(image.shape, bool)
    for i, j in np.argwhere(steepness[1:-1, 1:-1] > 50):
        gx, gy = int(x[i, j]), int(y[i, j])
        if abs(gy) * 2**15 < 13573 * abs(gx):
            step, both = (0, 1), False
        elif abs(gy) * 2**15 > (13573 + 2**16) * abs(gx):
            step, both = (1, 0), False
        else:
            step, both = (1, 1 if (gx < 0) == (gy < 0) else -1), True
        here = steepness[i + 1, j + 1]
        before = steepness[i + 1 - step[0], j + 1 - step[1]]
        behind = steepness[i + 1 + step[0], j + 1 + step[1]]
        ridge[i, j] = here > before and (here > behind if both else here >= behind)
    parts, count = ndimage.label(ridge, np.ones((3, 3)))
    strong = np.unique(parts[ridge & (steepness[1:-1, 1:-1] > 150)])
    return np.isin(parts, strong[strong > 0]) if count else ridge


def distances(edges, furthest=20):
    """Return the chamfer distances in pixels: the nearest of all within reach."""
    reach = np.abs(np.arange(-furthest, furthest + 1))
    long, short = np.maximum(reach[:, None], reach), np.minimum(reach[:, None], reach)
    straight, diagonal, knight = 1.0, 91750 / 2**16, 143976 / 2**16
    cost = np.where(
        2 * short <= long,
        straight * (long - 2 * short) + knight * short,
        knight * (long - short) + diagonal * (2 * short - long),
    )
    size, far = edges.shape, np.where(edges, 0.0, furthest)
    padded = np.pad(far, furthest, constant_values=furthest)
    found = far.copy()
    for i, j in np.argwhere(cost < furthest):
        there = padded[i : i + size[0], j : j + size[1]]
        np.minimum(found, there + cost[i, j], out=found)
    return found


def equalised(levels):
    """Return levels spread over 0 to 255 by their frequency."""
    counts = np.bincount(levels.ravel())
    lowest = counts[levels.min()]
    table = np.rint((counts.cumsum() - lowest) * 255.0 / (levels.size - lowest))
    return table.astype(int)[levels]
