"""Is a file that is no image told by what came in its place?"""

import io

import numpy as np
import pytest
import trees
from PIL import Image

from biases_jax.doctor import kinds

HTML = "<!DOCTYPE html><html>quota exceeded</html>"


def deep():
    buffer = io.BytesIO()
    Image.fromarray(np.full((224, 224), 999, np.uint16)).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data, kind",
    [
        (b"", "empty"),
        (HTML.encode(), "page"),
        (HTML.encode("utf-8-sig"), "page"),
        (HTML.encode("utf-16"), "page"),
        (b"\n  <!-- cached -->\n<html>", "page"),
        (b"<Error><Code>AccessDenied</Code></Error>", "page"),
        (b'{"error": {"code": 403}}', "page"),
        (b'[{"message": "not found"}]', "page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "pointer"),
        (trees.picture(0, "JPEG", 40)[:300], "damaged"),
        (b"<\x00\x01", "damaged"),
        (b"noise" * 9, "damaged"),
        (trees.picture(0, "PNG", 40), "size"),
        (deep(), "depth"),
    ],
)
def test_what_came_in_place_of_an_image(data, kind):
    assert kinds.of(data) == kind
    assert kind in kinds.KINDS
