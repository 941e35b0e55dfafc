"""Which images are compared on?"""

import numpy as np
import pytest
from PIL import Image

from biases_jax.parity import images


def test_a_crop_of_each_photograph_by_default():
    found = images.default()
    assert found.names == ("chelsea", "coffee", "rocket", "astronaut")
    assert found.pixels.shape == (4, 224, 224, 3) and found.pixels.dtype == np.float32
    assert found.sha256 == images.default().sha256


def test_values_stay_within_their_grey_level_and_flat_regions_are_flat_no_more():
    flat = np.full((1, 32, 32, 3), 255, np.uint8)
    flat[:, :16] = 0
    pixels = images.without_ties(flat)
    assert 0 <= pixels.min() and pixels.max() <= 1
    np.testing.assert_array_equal((pixels[:, :16] * 256).astype(int), 0)
    assert pixels[:, 16:].min() >= 255 / 256
    assert len(np.unique(pixels)) > 0.99 * pixels.size


def saved(path):
    noise = np.random.default_rng(0).integers(0, 256, (230, 240, 3), dtype=np.uint8)
    path.parent.mkdir(exist_ok=True)
    Image.fromarray(noise).save(path)


def test_own_images_are_a_folder_a_file_or_a_pattern(tmp_path):
    for name in ("a/1.png", "a/2.jpg", "b/3.png"):
        saved(tmp_path / name)
    folder = images.own(str(tmp_path))
    assert [name.rpartition("/")[2] for name in folder.names] == [
        "1.png",
        "2.jpg",
        "3.png",
    ]
    assert images.own(f"{tmp_path}/*/*.png").names == folder.names[::2]
    assert images.own(f"{tmp_path}/b/3.png").names == folder.names[2:]


@pytest.mark.parametrize(
    ("place", "message"),
    [("nothing/*.png", r"got 0 file\(s\)"), ("many", r"got 33 file\(s\)")],
)
def test_none_or_too_many_are_refused(tmp_path, place, message):
    (tmp_path / "many").mkdir()
    for index in range(33):
        (tmp_path / "many" / f"{index}.png").touch()
    with pytest.raises(ValueError, match=message):
        images.own(str(tmp_path / place))


def test_a_broken_image_is_named(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"no image")
    with pytest.raises(ValueError, match="broken.png: got no image, or a broken one"):
        images.own(str(tmp_path))
