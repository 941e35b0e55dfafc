"""Which photographs are here without a download, and how are crops cut from them?"""

import io

import numpy as np
import skimage.data
from PIL import Image

# Photograph (CC0 or public domain, from the scikit-image wheel) and its class.
PHOTOGRAPHS = {
    "chelsea": "n02123045",  # tabby cat
    "coffee": "n07920052",  # espresso
    "rocket": "n04008634",  # missile
    "astronaut": "n04266014",  # space shuttle, behind her
}
CROPS = 6  # of each photograph
CROP_SIDE = 0.7  # of the photograph's shorter side


def crops(name: str, count: int = CROPS) -> list[bytes]:
    """Return the first of `CROPS` random crops of a photograph as JPEG files."""
    photograph = getattr(skimage.data, name)()
    generator = np.random.default_rng(list(name.encode()))
    side = int(CROP_SIDE * min(photograph.shape[:2]))
    files = []
    for _ in range(count):
        top, left = generator.integers(0, np.subtract(photograph.shape[:2], side - 1))
        crop = photograph[top : top + side, left : left + side]
        buffer = io.BytesIO()
        Image.fromarray(crop).save(buffer, "JPEG", quality=92)
        files.append(buffer.getvalue())
    return files
