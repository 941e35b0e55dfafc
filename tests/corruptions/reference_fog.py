"""What is fog in float64, by loops over NumPy's arrays?"""

import numpy as np

STRENGTH = {1: 1.5, 2: 2, 3: 2.5, 4: 2.5, 5: 3}
DECAY = {1: 2, 2: 2, 3: 1.7, 4: 1.5, 5: 1.4}


def fog(image, draws, severity):
    """Return the image in fog, uint8; draws as `Fog` takes them, any float."""
    plasma, amplitude = np.zeros((1, 1)), 100.0
    while f"uniform_{len(plasma)}" in draws:
        plasma = finer(plasma, amplitude**2 * draws[f"uniform_{len(plasma)}"])
        amplitude /= DECAY[severity]
    plasma = (plasma - plasma.min()) / (plasma.max() - plasma.min())
    pixels, strength = image / 255, STRENGTH[severity]
    brightest = pixels.max()
    pixels = pixels + strength * plasma[: image.shape[0], : image.shape[1], None]
    pixels = np.clip(pixels * brightest / (brightest + strength), 0, 1)
    return (255 * pixels).astype(np.uint8)


def finer(grid, displacements):
    """Return the grid of twice the side: diamonds first, then squares."""
    n = len(grid)
    wide = np.zeros((2 * n, 2 * n))
    wide[::2, ::2] = grid
    centres, tops, lefts = np.asarray(displacements, float)
    around = [np.roll(grid, shift, (0, 1)) for shift in ((0, 0), (-1, 0), (0, -1))]
    around.append(np.roll(grid, (-1, -1), (0, 1)))
    wide[1::2, 1::2] = sum(around) / 4 + centres
    for rows, columns, displacement in ((0, 1, tops), (1, 0, lefts)):
        # Those of the four neighbours on the torus are all set by now.
        near = [np.roll(wide, shift, axis) for shift in (1, -1) for axis in (0, 1)]
        wide[rows::2, columns::2] = (sum(near) / 4)[rows::2, columns::2] + displacement
    return wide
