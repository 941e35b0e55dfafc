"""Are the photographs of frost found, and told from others?"""

import hashlib
import shutil

import numpy as np
import pytest
from corruptions import frost_files
from PIL import Image

from biases_jax.corruptions import frost_textures


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package like imagecorruptions; return the folder of its frost."""
    monkeypatch.syspath_prepend(tmp_path)
    return frost_files.write(tmp_path)


def digest(folder):
    contents = b"".join((folder / name).read_bytes() for name in frost_textures.FILES)
    return hashlib.sha256(contents).hexdigest()[:8]


def test_an_installed_package_is_found_by_its_files(installed):
    name = frost_textures.find()
    assert name == f"imagecorruptions-1.1.2@{digest(installed)}"
    found = frost_textures.textures(name, "original", 24, 24)
    assert found.stack.shape == (5, 60, 90, 3) and found.stack.dtype == np.uint8
    for file, texture, size in zip(
        frost_textures.FILES, found.stack, frost_files.SIZES, strict=True
    ):
        picture = np.asarray(Image.open(installed / file).convert("RGB"))
        np.testing.assert_array_equal(texture[: size[0], : size[1]], picture)
        assert not texture[size[0] :].any() and not texture[:, size[1] :].any()


def test_a_name_is_enough_once_the_package_is_installed(installed, monkeypatch):
    name = frost_textures.find()
    monkeypatch.setattr(frost_textures, "_folders", {})  # as in another process
    found = frost_textures.textures(name, "original", 20, 20)
    assert found.stack.shape == (5, 60, 90, 3)


def test_a_folder_is_taken_before_the_package(installed, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(installed, other)
    Image.new("RGB", (90, 60), (1, 2, 3)).save(other / "frost1.png")
    name = frost_textures.find(other)
    assert name == frost_textures.find(str(other)) != frost_textures.find()
    first = frost_textures.textures(name, "original", 24, 24).stack[0]
    assert (first == [1, 2, 3]).all()


def test_a_folder_with_a_file_too_few_is_refused(installed):
    (installed / "frost4.jpg").unlink()
    with pytest.raises(FileNotFoundError, match="without frost4.jpg, expected"):
        frost_textures.find(installed)
    assert frost_textures.find() == "synthetic-v1"


def test_without_a_package_the_textures_are_synthetic(monkeypatch):
    monkeypatch.setattr(frost_textures, "PACKAGE", "no_such_package")
    assert frost_textures.find() == "synthetic-v1"
    found = frost_textures.textures("synthetic-v1", "original", 224, 224)
    assert found.stack.shape == (5, 600, 900, 3)


def test_textures_that_are_not_at_hand_are_refused():
    name = "imagecorruptions-1.1.2@00000000"
    with pytest.raises(ValueError, match="@00000000', which are not at hand: found"):
        frost_textures.textures(name, "original", 24, 24)


@pytest.mark.parametrize(
    ("flavour", "height", "width", "sizes"),
    [
        # The last place is left out, as the reference does.
        ("original", 24, 24, ((60, 90), (32, 56), (32, 56), (35, 53), (50, 66))),
        (
            "imagecorruptions",
            *(24, 24),
            ((66, 100), (36, 62), (36, 62), (39, 59), (56, 73)),
        ),
        # Of 40 rows: the second to the fourth grow until they have as many.
        ("original", 40, 24, ((60, 90), (40, 70), (40, 70), (40, 61), (50, 66))),
    ],
)
def test_crops_begin_where_they_end_within_the_texture(
    installed, flavour, height, width, sizes
):
    if flavour == "imagecorruptions":
        # These are just above a whole number in floating point, others are not.
        assert 90 * 1.1 > 99 and 50 * 1.1 > 55
    found = frost_textures.textures(frost_textures.find(), flavour, height, width)
    expected = [(max(h - height, 1), max(w - width, 1)) for h, w in sizes]
    assert found.starts.tolist() == [list(pair) for pair in expected]
    assert found.stack.shape[1:3] == tuple(
        max(side) for side in zip(*sizes, strict=True)
    )


def test_a_folder_may_be_named_in_the_environment(tmp_path, monkeypatch):
    folder = frost_files.write(tmp_path)
    monkeypatch.setattr(frost_textures, "_folders", {})
    monkeypatch.setattr(frost_textures, "PACKAGE", "no_such_package")
    name = frost_textures.find(folder)
    monkeypatch.setattr(frost_textures, "_folders", {})  # as in another process
    assert frost_textures.lacks(name).startswith(f"got frost textures {name!r}, which")
    monkeypatch.setenv(frost_textures.VARIABLE, str(folder))
    assert frost_textures.find() == name
    assert frost_textures.lacks(name) == ""
    assert frost_textures.lacks("synthetic-v1") == ""
