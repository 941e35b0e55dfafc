"""A package like imagecorruptions, with small pictures of its own, for tests."""

import numpy as np
from PIL import Image

from biases_jax.corruptions import frost_textures

SIZES = ((60, 90), (32, 56), (32, 56), (35, 53), (50, 66))


def pictures():
    """Return five pictures, the second and third alike, whose colours tell places."""
    return [np.random.RandomState(h * w).bytes(h * w * 3) for h, w in SIZES]


def write(site):
    """Write the package into a folder of packages; return the folder of its frost."""
    frost = site / "imagecorruptions" / "frost"
    frost.mkdir(parents=True)
    # As the real one on today's libraries: it cannot be imported.
    (frost.parent / "__init__.py").write_text("import no_such_module\n")
    named = zip(frost_textures.FILES, pictures(), SIZES, strict=True)
    for name, picture, (height, width) in named:
        values = np.frombuffer(picture, np.uint8).reshape(height, width, 3)
        image = Image.fromarray(values)
        if name.endswith("png"):
            image.putalpha(100)  # the real ones are not opaque
        image.save(frost / name)
    return frost
