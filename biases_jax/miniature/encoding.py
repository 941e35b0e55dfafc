"""As which file is a picture written?"""

import io

import numpy as np
from jaxtyping import UInt8
from PIL import Image

JPEG_QUALITY = 95
PNG_LEVEL = 1  # of compression: noise does not shrink further


def encoded(
    picture: UInt8[np.ndarray, "h w 3"], path: str, quality: int = JPEG_QUALITY
) -> bytes:
    """Return a picture as a file of the kind that the path's suffix says.

    Args:
        picture: RGB.
        path: of which the suffix is read.
        quality: of a JPEG file, 1 to 100.
    """
    buffer = io.BytesIO()
    if path.endswith(".png"):
        Image.fromarray(picture).save(buffer, "PNG", compress_level=PNG_LEVEL)
    else:
        Image.fromarray(picture).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()
