"""Is every image on the sheet, once, as it is, under its own name?"""

import io

import numpy as np
import pytest
from etils import epath
from PIL import Image

from biases_jax import contact_sheet

NAMES = ["a/low/1", "a/low/2", *(f"a/high/{i}" for i in range(7)), "a/0", "b"]
CAPTION = "a: eleven – of an image"  # not ASCII, which the file must keep


def tiles(channels=3):
    generator = np.random.default_rng(0)
    images = generator.integers(0, 256, (len(NAMES), 16, 12, channels), dtype=np.uint8)
    return [
        (name, np.broadcast_to(x, (16, 12, 3)))
        for name, x in zip(NAMES, images, strict=True)
    ]


def places(sheet, image):
    """Return all (y, x) where an image is on a sheet."""
    h, w = image.shape[:2]
    views = np.lib.stride_tricks.sliding_window_view(sheet, (h, w), axis=(0, 1))
    return np.argwhere((views == np.moveaxis(image, -1, 0)).all(axis=(2, 3, 4)))


@pytest.mark.parametrize("channels, mode", [(3, "RGB"), (1, "L")])
def test_every_image_is_there_once_and_unchanged(channels, mode):
    found = Image.open(io.BytesIO(contact_sheet.png(CAPTION, tiles(channels))))
    assert found.mode == mode
    sheet = np.asarray(found.convert("RGB"))
    where = {name: places(sheet, image) for name, image in tiles(channels)}
    assert all(len(those) == 1 for those in where.values())
    corners = {name: tuple(those[0].tolist()) for name, those in where.items()}
    assert len(set(corners.values())) == len(NAMES)
    # A group is in lines of six, and above the next one.
    assert corners["a/low/1"][0] == corners["a/low/2"][0]
    assert len({corners[f"a/high/{i}"][0] for i in range(6)}) == 1
    assert corners["a/high/5"][0] < corners["a/high/6"][0] < corners["a/0"][0]
    assert corners["a/high/0"][1] == corners["a/high/6"][1]


def test_images_have_texts_above_them():
    sheet = np.asarray(Image.open(io.BytesIO(contact_sheet.png(CAPTION, tiles()))))
    other = [(f"{name[:-1]}x", image) for name, image in tiles()]
    others = np.asarray(Image.open(io.BytesIO(contact_sheet.png(CAPTION, other))))
    assert sheet.shape == others.shape
    changed = np.argwhere((sheet != others).any(axis=-1))
    for _, image in tiles():
        [[y, x]] = places(sheet, image)
        above = (changed < (y, x + 20)).all(1) & (changed > (y - 20, x - 1)).all(1)
        assert above.any()  # the label, on the line above
        inside = (changed < (y + 16, x + 12)).all(1) & (changed >= (y, x)).all(1)
        assert not inside.any()


def test_files_are_read_with_their_captions_and_are_functions_of_the_tiles(tmp_path):
    data = contact_sheet.png(CAPTION, tiles())
    assert data == contact_sheet.png(CAPTION, tiles())
    (tmp_path / "a.png").write_bytes(data)
    path = epath.Path(tmp_path / "a.png")
    assert contact_sheet.read(path) == (CAPTION, data)
    assert contact_sheet.recipe(path) == ""
    path.write_bytes(contact_sheet.png(CAPTION, tiles(), "of two eggs"))
    assert contact_sheet.recipe(path) == "of two eggs"
    assert contact_sheet.recipe(path.with_name("none.png")) == ""
