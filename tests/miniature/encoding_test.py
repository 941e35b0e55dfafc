"""Are pictures written as the files that their names promise?"""

import io

import numpy as np
from PIL import Image

from biases_jax.miniature import encoding

PICTURE = np.random.default_rng(0).integers(0, 256, (32, 32, 3), np.uint8)


def test_files_are_of_the_kind_of_their_suffix():
    assert encoding.encoded(PICTURE, "a/b.png").startswith(b"\x89PNG")
    for suffix in ("JPEG", "jpeg", "jpg"):
        assert encoding.encoded(PICTURE, f"a/b.{suffix}").startswith(b"\xff\xd8")


def test_a_png_keeps_every_byte_and_a_jpeg_has_the_quality():
    png = Image.open(io.BytesIO(encoding.encoded(PICTURE, "b.png", 1)))
    assert np.array_equal(np.asarray(png), PICTURE)
    buffer = io.BytesIO()
    Image.fromarray(PICTURE).save(buffer, "JPEG", quality=30)
    assert encoding.encoded(PICTURE, "b.JPEG", 30) == buffer.getvalue()
    assert len(encoding.encoded(PICTURE, "b.JPEG")) > len(buffer.getvalue())
