"""Which photographs are stimuli timed on?"""

import numpy as np
from skimage import data

SIDE = 224


def crops(count):
    """Return crops of real photographs, uint8 [count, 224, 224, 3]."""
    generator = np.random.default_rng(0)
    pictures = [p() for p in (data.chelsea, data.coffee, data.astronaut, data.rocket)]
    found = []
    for number in range(count):
        picture = pictures[number % len(pictures)]
        top, left = (int(generator.integers(n - SIDE + 1)) for n in picture.shape[:2])
        found.append(picture[top : top + SIDE, left : left + SIDE, :3])
    return np.stack(found)
