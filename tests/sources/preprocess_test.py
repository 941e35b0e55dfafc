import io
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image
from skimage import data
from sources.source_files import encode, noise

from biases_jax.sources import preprocess

POLICY = "pil_bilinear_256_224"


def plain(encoded: bytes, resized=None, offset=None) -> np.ndarray:
    """Torchvision's Resize(256) and CenterCrop(224) on PIL, stated plainly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of palettes with transparency
        image = Image.open(io.BytesIO(encoded)).convert("RGB")
    short, long = sorted(image.size)
    other = int(256 * long / short)
    if resized is None:
        resized = (256, other) if image.width <= image.height else (other, 256)
    if offset is None:
        offset = tuple(round((side - 224) / 2.0) for side in resized)
    image = image.resize(resized, Image.Resampling.BILINEAR)
    left, top = offset
    return np.asarray(image.crop((left, top, left + 224, top + 224)))


# Size before, size after the resize, offset of the crop: worked out by hand.
GEOMETRY = [
    ((512, 333), (393, 256), (84, 16)),  # 393.6 truncated; 84.5 to the even 84
    ((256, 256), (256, 256), (16, 16)),
    ((97, 500), (256, 1319), (16, 548)),  # 1319.6 truncated; 547.5 to the even 548
    ((224, 1), (57344, 256), (28560, 16)),
    ((500, 375), (341, 256), (58, 16)),  # 341.3; 58.5 to the even 58
    ((1200, 1600), (256, 341), (16, 58)),
    ((375, 500), (256, 341), (16, 58)),
    ((257, 256), (257, 256), (16, 16)),  # 16.5 to the even 16
    ((259, 256), (259, 256), (18, 16)),  # 17.5 to the even 18
    ((255, 257), (256, 258), (16, 17)),
    ((224, 224), (256, 256), (16, 16)),
    ((1, 1), (256, 256), (16, 16)),
    ((16, 16), (256, 256), (16, 16)),
]


@pytest.mark.parametrize(("size", "resized", "offset"), GEOMETRY)
def test_pixels_equal_pillows_bilinear_bit_for_bit(size, resized, offset):
    encoded = encode(noise(*size), "PNG")
    expected = plain(encoded, resized, offset)
    np.testing.assert_array_equal(preprocess.decode(encoded, POLICY), expected)


def test_pixels_equal_for_arbitrary_sizes_of_a_photograph():
    rng = np.random.default_rng(0)
    photograph = Image.fromarray(data.chelsea())
    sizes = rng.integers(20, 700, (60, 2)).tolist()
    assert any(height > 2 * width > 512 for width, height in sizes)  # Pillow 13
    for width, height in sizes:
        encoded = encode(photograph.resize((width, height)), quality=90)
        np.testing.assert_array_equal(
            preprocess.decode(encoded, POLICY), plain(encoded), f"{width}x{height}"
        )


def test_a_resize_without_antialiasing_would_differ():
    encoded = encode(noise(512, 333), "PNG")
    image = Image.open(io.BytesIO(encoded))
    aliased = image.transform(
        (393, 256),
        Image.Transform.EXTENT,
        (0, 0, *image.size),
        Image.Resampling.BILINEAR,
    )
    aliased = np.asarray(aliased.crop((84, 16, 308, 240))).astype(int)
    difference = np.abs(preprocess.decode(encoded, POLICY).astype(int) - aliased)
    assert difference.mean() > 5


def test_a_crop_that_rounds_half_up_would_differ():
    encoded = encode(noise(512, 333), "PNG")
    wrong = plain(encoded, (393, 256), (85, 16))
    assert not np.array_equal(preprocess.decode(encoded, POLICY), wrong)


def test_pixels_are_untouched_where_a_set_has_its_final_size():
    checkerboard = np.indices((224, 224)).sum(axis=0) % 2 * 255
    pixels = np.repeat(checkerboard[..., None].astype(np.uint8), 3, axis=2)
    decoded = preprocess.decode(encode(pixels, "PNG"), "none_224")
    np.testing.assert_array_equal(decoded, pixels)
    resized = preprocess.decode(encode(pixels, "PNG"), POLICY)
    assert not np.array_equal(resized, pixels)


@pytest.mark.parametrize(("width", "height"), [(256, 224), (224, 300)])
def test_another_size_is_an_error_where_a_set_has_its_final_size(width, height):
    message = f"got {width}x{height}.*expected 224x224"
    with pytest.raises(preprocess.CorruptImage, match=message):
        preprocess.decode(encode(noise(width, height)), "none_224")


def _palette(transparency):
    image = Image.fromarray(noise(16, 16)).quantize(32)
    return encode(image, "PNG", transparency=transparency)


def _oriented():
    exif = Image.Exif()
    exif[0x0112] = 6  # orientation: turn by 90 degrees
    return encode(noise(16, 24), exif=exif)


SMALL = Image.fromarray(noise(16, 16))
FILES = {
    "4:2:0 baseline": lambda: encode(SMALL, subsampling="4:2:0"),
    "progressive": lambda: encode(SMALL, progressive=True),
    "grey": lambda: encode(SMALL.convert("L")),
    "CMYK": lambda: encode(SMALL.convert("CMYK")),
    "PNG": lambda: encode(SMALL, "PNG"),  # also what a PNG named .JPEG holds
    "grey PNG": lambda: encode(SMALL.convert("L"), "PNG"),
    "grey and alpha": lambda: encode(SMALL.convert("LA"), "PNG"),
    "RGBA": lambda: encode(SMALL.convert("RGBA"), "PNG"),
    "RGB with a transparent colour": lambda: encode(
        SMALL, "PNG", transparency=(1, 2, 3)
    ),
    "one bit": lambda: encode(SMALL.convert("1"), "PNG"),
    "palette": lambda: encode(SMALL.quantize(32), "PNG"),
    "palette with one transparent colour": lambda: _palette(3),
    "palette with many": lambda: _palette(bytes(range(32))),
    "GIF": lambda: encode(SMALL.quantize(32), "GIF"),
    "WEBP": lambda: encode(SMALL, "WEBP", lossless=True),
    "EXIF orientation": _oriented,
}


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_of_file_decodes_as_pillow_converts_it(kind):
    encoded = FILES[kind]()
    decoded = preprocess.decode(encoded, POLICY)
    assert decoded.dtype == np.uint8 and decoded.shape == (224, 224, 3)
    np.testing.assert_array_equal(decoded, plain(encoded))


GREY = np.arange(256, dtype=np.uint16).reshape(16, 16) * 257
DEEP = {
    "I;16": ("PNG", Image.fromarray(GREY)),
    "I": ("TIFF", Image.fromarray(GREY.astype(np.int32))),
    "F": ("TIFF", Image.fromarray(GREY.astype(np.float32))),
}


@pytest.mark.parametrize("policy", preprocess.POLICIES)
@pytest.mark.parametrize("mode", DEEP)
def test_grey_levels_that_pillow_would_clip_are_refused(mode, policy):
    file_format, image = DEEP[mode]
    encoded = encode(image, file_format)
    assert np.mean(plain(encoded) > 250) > 0.9  # what is refused: nearly all white
    message = f"mode {mode}.*16-bit PNG, expected 8 bits a channel: convert it"
    with pytest.raises(preprocess.DeepImage, match=message):
        preprocess.decode(encoded, policy)


def test_sixteen_bits_of_each_colour_are_scaled_not_clipped():
    # A PNG by hand, since Pillow writes none: 16x16 pixels, 16 bits, RGB.
    def chunk(kind, data):
        crc = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", 16, 16, 16, 2, 0, 0, 0)
    values = np.repeat(GREY[..., None], 3, axis=2).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in values)
    encoded = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    encoded += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    eight = np.repeat((GREY // 257).astype(np.uint8)[..., None], 3, axis=2)
    expected = preprocess.decode(encode(eight, "PNG"), POLICY)
    np.testing.assert_array_equal(preprocess.decode(encoded, POLICY), expected)


def test_cmyk_is_not_inverted():
    white = encode(Image.new("CMYK", (16, 16), (0, 0, 0, 0)))
    assert preprocess.decode(white, POLICY).min() > 250


PNG = encode(noise(64, 64), "PNG")
BROKEN = {
    "empty": (b"", "no image in JPEG"),
    "no image": (b"<html>quota exceeded</html>", "no image in JPEG"),
    "truncated JPEG": (encode(noise(64, 64))[:-500], "truncated"),
    "truncated PNG": (PNG[:-5000], "truncated"),
    "header only": (encode(noise(64, 64))[:300], "Truncated"),
    "broken PNG data": (
        PNG[:200] + bytes(40) + PNG[240:],
        "broken",
    ),
    # The type of the tag StripOffsets (273), a number, becomes text.
    "TIFF tag": (
        encode(noise(8, 8), "TIFF").replace(b"\x11\x01\x04\0", b"\x11\x01\x02\0"),
        "TypeError",
    ),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "no image in"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_damaged_file_is_a_named_error_with_its_reason(kind):
    encoded, reason = BROKEN[kind]
    with pytest.raises(preprocess.CorruptImage, match=reason):
        preprocess.decode(encoded, POLICY)


def test_no_damage_escapes_as_another_error():
    rng = np.random.default_rng(0)
    files = [FILES[kind]() for kind in ("4:2:0 baseline", "PNG", "palette", "GIF")]
    outcomes = {"pixels": 0, "corrupt": 0}
    for trial in range(300):
        damaged = bytearray(files[trial % len(files)])
        for position in rng.integers(0, len(damaged), 4):
            damaged[position] = rng.integers(256)
        try:
            preprocess.decode(bytes(damaged), POLICY)
            outcomes["pixels"] += 1
        except preprocess.CorruptImage:
            outcomes["corrupt"] += 1
    assert min(outcomes.values()) > 20  # the damage is neither too mild nor total


@pytest.mark.parametrize("factor", [1.5, 3.0])  # Pillow itself warns, then refuses
def test_an_image_over_pillows_limit_is_corrupt(monkeypatch, factor):
    encoded = encode(noise(100, 60), "PNG")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", int(6000 / factor))
    with pytest.raises(preprocess.CorruptImage, match="limit|DecompressionBomb"):
        preprocess.decode(encoded, POLICY)


def test_a_sliver_that_would_grow_beyond_the_limit_is_corrupt():
    sliver = encode(np.zeros((5000, 1, 3), np.uint8), "PNG")
    message = "got an image of 1x5000 pixels, too thin .* 256: 256x1280000 pixels"
    with pytest.raises(preprocess.CorruptImage, match=message):
        preprocess.decode(sliver, POLICY)


def test_a_resize_below_the_crop_is_refused():
    with pytest.raises(ValueError, match="got a resize to 200"):
        preprocess.ResizeCrop(200)


def test_an_unknown_policy_is_an_error():
    with pytest.raises(KeyError, match="tf_bilinear"):
        preprocess.decode(encode(noise(16, 16)), "tf_bilinear")
