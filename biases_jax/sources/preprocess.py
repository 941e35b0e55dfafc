"""How do the bytes of an image file become the pixels that a network sees?

Bit for bit what torchvision does on a PIL image: `convert('RGB')`, `Resize(256)`,
`CenterCrop(224)`. EXIF orientation is ignored, as torchvision ignores it.
"""

import dataclasses
import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
from jaxtyping import UInt8
from PIL import Image, UnidentifiedImageError

SIZE = 224  # side of what every policy returns, in pixels

Pixels = UInt8[np.ndarray, "224 224 3"]

# What published sets hold. Never all of Pillow's formats: some run other programs.
FORMATS = ("JPEG", "PNG", "WEBP", "BMP", "PPM", "GIF", "TIFF")

# What Pillow's readers of these formats raise on damaged bytes.
DECODE_ERRORS = (
    OSError,  # most of them: 'image file is truncated'
    SyntaxError,
    ValueError,
    EOFError,
    IndexError,
    OverflowError,
    TypeError,  # a TIFF tag of another type than it must have
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
    Image.DecompressionBombWarning,
)


class CorruptImage(Exception):
    """A file that cannot be turned into pixels; the message is the reason."""


class DeepImage(CorruptImage):
    """A file of grey levels that 8 bits do not hold."""


def decode(data: bytes, policy: str) -> Pixels:
    """Return the pixels of an encoded image under a policy of `POLICIES`.

    Raises:
        CorruptImage: the bytes are damaged or truncated, no known format, over
            Pillow's limit of pixels, or not of the size that the policy takes;
            `DeepImage` where Pillow would clip its grey levels to 8 bits.
        KeyError: the policy is unknown.
    """
    prepare = POLICIES[policy]
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
        _refuse_bomb(image.size)
        _refuse_deep(image.mode)
        image.load()
        image = _to_rgb(image)
    except UnidentifiedImageError as error:  # whose own message names an address
        raise CorruptImage(f"no image in {', '.join(FORMATS)} format") from error
    except DECODE_ERRORS as error:
        raise CorruptImage(f"{type(error).__name__}: {error}") from error
    return prepare(image)


@dataclasses.dataclass(frozen=True)
class ResizeCrop:
    """Shorter side to `resize` pixels (PIL bilinear), then the central square.

    As torchvision: the longer side is truncated, the crop's offset rounds half to
    even. The shorter side is never below the crop, so nothing is ever padded.
    """

    resize: int

    def __post_init__(self):
        if self.resize < SIZE:
            raise ValueError(f"got a resize to {self.resize}, expected {SIZE} or more")

    def __call__(self, image: Image.Image) -> Pixels:
        """Return the pixels of an RGB image."""
        width, height = self.resized(image.size)
        _refuse_bomb(
            (width, height),
            f"got an image of {image.width}x{image.height} pixels, too thin to "
            f"resize its shorter side to {self.resize}: ",
        )
        left, top = round((width - SIZE) / 2), round((height - SIZE) / 2)
        if width > height:
            # Pillow filters along x, rounds to 8 bits, then filters along y. The two
            # passes apart give the same bits, and the second one skips the columns
            # that the crop throws away. Not for tall images: since 13.0 Pillow may
            # take their passes in the other order (python-pillow/Pillow, PR 9549).
            image = image.resize((width, image.height), Image.Resampling.BILINEAR)
            image = image.crop((left, 0, left + SIZE, image.height))
            width, left = SIZE, 0
        image = image.resize((width, height), Image.Resampling.BILINEAR)
        return np.asarray(image.crop((left, top, left + SIZE, top + SIZE)))

    def resized(self, size: tuple[int, int]) -> tuple[int, int]:
        """Return (width, height) after the resize, given those before it."""
        width, height = size
        if width <= height:
            return self.resize, self.resize * height // width
        return self.resize * width // height, self.resize


def as_it_is(image: Image.Image) -> Pixels:
    """Return the pixels of an RGB image that already has the right size.

    Raises:
        CorruptImage: it has another size.
    """
    if image.size != (SIZE, SIZE):
        raise CorruptImage(
            f"got {image.width}x{image.height} pixels, expected {SIZE}x{SIZE}: the "
            "images of this set are never resized here; resize those of your own, "
            "fetch published ones again"
        )
    return np.asarray(image)


POLICIES: dict[str, Callable[[Image.Image], np.ndarray]] = {
    "pil_bilinear_256_224": ResizeCrop(256),
    "none_224": as_it_is,
}


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode == "RGB":
        return image  # `convert` would only copy
    # Transparency does not change the colours, but Pillow warns about it.
    image.info.pop("transparency", None)
    return image.convert("RGB")


def _refuse_deep(mode: str) -> None:
    # Pillow clips what is above 255, so that nearly all of such an image is white.
    if mode.startswith(("I", "F")):
        raise DeepImage(
            f"got a grey image of over 8 bits a channel (Pillow's mode {mode}), such "
            "as a 16-bit PNG, expected 8 bits a channel: convert it"
        )


def _refuse_bomb(size: tuple[int, int], cause: str = "") -> None:
    # Pillow refuses twice its limit and only warns of the limit itself.
    limit = Image.MAX_IMAGE_PIXELS
    if limit is not None and size[0] * size[1] > limit:
        raise CorruptImage(
            f"{cause}{size[0]}x{size[1]} pixels are over the limit of {limit}"
        )
