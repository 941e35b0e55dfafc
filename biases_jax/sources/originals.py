"""Are these ImageNet's own photographs, or images that were made from them?

Corrupted, stylised and resized copies bear the names of the photographs. But they have
one size, and those that are stylised are no JPEG files.
"""

import io
import os
from collections.abc import Callable, Sequence

from PIL import Image

from biases_jax.sources import preprocess, validation

LOOKED = 32  # files: more than photographs have of one size in a row by chance
_SUFFIXES = (".jpeg", ".jpg")
_ADVICE = (
    "these were made from them: point --config.data_dir at the folder that holds the "
    "photographs, or declare a set of your own in dataset.json at its root"
)


def check(names: Sequence[str], read: Callable[[int], bytes], where: str) -> None:
    """Refuse images that bear the names of photographs and are none.

    Few files prove nothing by their size. Two files of different sizes end the search.

    Args:
        names: of the images.
        read: returns the file of an example by its index; OSError if it cannot.
        where: the set and its place, for the message.

    Raises:
        ValueError: names end otherwise, or all files looked at have one size.
    """
    if not validation.are_numbered(names):
        return  # other names are refused as such
    wrong = [n for n in names if os.path.splitext(n)[1].lower() not in _SUFFIXES]
    if wrong:
        raise ValueError(
            f"{where}: got {len(wrong)} files such as {wrong[0]!r}, expected the JPEG "
            f"files of ImageNet's own photographs; {_ADVICE}"
        )
    if len(names) < LOOKED:
        return
    sizes = set()
    for number in range(LOOKED):
        sizes.add(_size(read, number * len(names) // LOOKED))
        if len(sizes - {None}) > 1:
            return
    if len(sizes) == 1 and None not in sizes:
        ((width, height),) = sizes
        raise ValueError(
            f"{where}: got {width}x{height} pixels in all of {LOOKED} images looked "
            f"at, expected ImageNet's own photographs, which differ in size; {_ADVICE}"
        )


def _size(read: Callable[[int], bytes], index: int) -> tuple[int, int] | None:
    """Return the size that a file claims; None where it claims none."""
    try:
        with Image.open(io.BytesIO(read(index)), formats=preprocess.FORMATS) as image:
            return image.size
    except preprocess.DECODE_ERRORS:  # told where it is decoded
        return None
