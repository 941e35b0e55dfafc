"""How are many images shown on one, so that each can be told and looked at?"""

import io
from collections.abc import Iterator, Sequence

import numpy as np
from etils import epath
from jaxtyping import UInt8
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

COLUMNS = 6  # so that a page shows a sheet at about its own size
MARGIN, LINE, TEXT = 8, 20, 14  # pixels: between tiles, of a line, of its letters
CAPTION = "Description"  # the keyword that the PNG standard has for it
RECIPE = "Recipe"

Pixels = UInt8[np.ndarray, "h w 3"]


def png(caption: str, tiles: Sequence[tuple[str, Pixels]], recipe: str = "") -> bytes:
    """Return a PNG file of labelled images, pixel for pixel.

    Args:
        caption: the line on top, which `read` finds in the file, too.
        tiles: name and image, all of one size. Those whose names begin alike, up to the
            last slash, are together under what they share.
        recipe: what `recipe` finds in the file, of what the tiles are.
    """
    h, w = tiles[0][1].shape[:2]
    placed = list(_placed(caption, tiles, h + LINE + MARGIN, w + MARGIN))
    height = max(y for _, y, _ in placed) + h + MARGIN
    sheet = Image.new("RGB", (COLUMNS * (w + MARGIN) + MARGIN, height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(TEXT)
    for x, y, content in placed:
        if isinstance(content, str):
            draw.text((x, y), content, "black", font)
        else:
            sheet.paste(Image.fromarray(content), (x, y))
    if all((image == image[:, :, :1]).all() for _, image in tiles):
        sheet = sheet.convert("L")  # grey: a third of the bytes
    described = PngImagePlugin.PngInfo()
    described.add_itxt(CAPTION, caption)
    described.add_itxt(RECIPE, recipe)
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", pnginfo=described, optimize=True)
    return buffer.getvalue()


def read(path: epath.Path) -> tuple[str, bytes]:
    """Return the caption and the bytes of a sheet's file."""
    data = path.read_bytes()
    with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
        return str(image.text[CAPTION]), data


def recipe(path: epath.Path) -> str:
    """Return the recipe of a sheet's file, '' where it has none or is not there."""
    if not path.exists():
        return ""
    with Image.open(io.BytesIO(path.read_bytes()), formats=["PNG"]) as image:
        return str(image.text.get(RECIPE, ""))


def _placed(
    caption: str, tiles: Sequence[tuple[str, Pixels]], down: int, right: int
) -> Iterator[tuple[int, int, str | Pixels]]:
    """Yield texts and images with their left upper corners, x and y."""
    yield MARGIN, MARGIN, caption
    groups: dict[str, list[tuple[str, Pixels]]] = {}
    for name, image in tiles:
        group, _, label = name.rpartition("/")
        groups.setdefault(group, []).append((label, image))
    y = MARGIN + LINE
    for group, members in groups.items():
        yield MARGIN, y, group
        y += LINE
        for index, (label, image) in enumerate(members):
            line, column = divmod(index, COLUMNS)
            x, top = MARGIN + column * right, y + line * down
            yield x, top, label
            yield x, top + LINE, image
        y += -(-len(members) // COLUMNS) * down
