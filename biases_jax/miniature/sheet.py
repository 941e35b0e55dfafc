"""What does the world look like? `python -m biases_jax.miniature.sheet world.png`."""

import pathlib
from collections.abc import Sequence

import numpy as np
from absl import app
from jaxtyping import UInt8
from PIL import Image

from biases_jax import usage
from biases_jax.miniature import classes, settings, world
from biases_jax.miniature.settings import Settings

SEED = 7
SIDE = 64  # pixels of each picture on the sheet
KINDS = np.arange(len(classes.KINDS))
# From top to bottom; the last has the shape of its column, the texture of the next one.
ROWS: tuple[tuple[Settings, int], ...] = (
    (settings.NATURAL, 0),
    (settings.HARDER, 0),
    (settings.TRAINING, 0),
    (settings.STYLISED, 0),
    (settings.ADVERSARIAL, 0),
    (settings.RENDITION, 0),
    (settings.OUTLINE, 0),
    (settings.TEST, 1),
)


def sheet(
    rows: Sequence[tuple[Settings, int]] = ROWS,
) -> UInt8[np.ndarray, "h w 3"]:
    """Return one row of pictures a setting, one column a class.

    Args:
        rows: settings, and how many classes further each texture is taken.
    """
    lines = []
    for spread, further in rows:
        cues = (KINDS + further) % len(KINDS)
        images = world.draw(SEED, KINDS, spread, kinds=KINDS, cues=cues).images
        lines.append(np.concatenate([_small(image) for image in images], axis=1))
    return np.concatenate(lines)


def _small(image: UInt8[np.ndarray, "s s 3"]) -> UInt8[np.ndarray, "n n 3"]:
    return np.asarray(Image.fromarray(image).resize((SIDE, SIDE), Image.Resampling.BOX))


def main(argv: Sequence[str]) -> None:
    """Write the sheet to the path given."""
    if len(argv) != 2:
        raise usage.error(f"got {len(argv) - 1} arguments, expected a path: world.png")
    path = pathlib.Path(argv[1]).expanduser()
    # Before the drawing, which takes a while.
    if path.suffix not in (".png", ".jpg"):
        raise usage.error(f"got {path}, expected a path that ends in .png or .jpg")
    if not path.parent.is_dir():
        raise usage.error(f"got {path}, expected a folder {path.parent}; make it first")
    Image.fromarray(sheet()).save(path)
    print(f"{path}: {len(ROWS)} settings of the world, from top to bottom")


if __name__ == "__main__":
    app.run(main)
