"""Which files are images, by their names?"""

import os
from collections.abc import Sequence

from absl import logging

from biases_jax.sources import declaration
from biases_jax.sources.files import Files

SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".pgm", ".gif", ".tif", ".tiff")
)


def is_image(location: str) -> bool:
    """Return whether a file's name ends as an image's."""
    return os.path.splitext(location)[1].lower() in SUFFIXES


def warn_of_others(
    tree: Files, locations: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is ignored among the images, sorted; name some.

    First the files that are no images, then the folders, with what is in them.
    """
    others = sorted(place for place in locations if not is_image(place))
    folders = [place for place in others if tree.is_folder(place)]
    files = [shown(place) for place in others if place not in folders]
    within = [f"{shown(place)} ({_images(tree, place)} in it)" for place in folders]
    if files:
        logging.warning(
            "%s: ignored %d files that are no images: %s",
            tree.where,
            len(files),
            _some(files),
        )
    if within:
        logging.warning(
            "%s: folders inside folders of images are not read: %s",
            tree.where,
            _some(within),
        )
    return tuple(files), tuple(within)


def warn_of_loose(tree: Files) -> tuple[str, ...]:
    """Return the images at a tree's root, which no folder gives a class; name some.

    Published trees have other files there, such as a README: these are only logged.
    """
    # To ask of each name, mostly folders', takes too long in a bucket.
    found = [name for name in tree.names() if os.path.splitext(name)[1]]
    found = [name for name in found if not tree.is_folder(name)]
    loose = [shown(name) for name in found if is_image(name)]
    others = [name for name in found if not is_image(name)]
    notes = [shown(name) for name in others if name != declaration.FILE]
    if notes:
        logging.info("%s: ignored %s", tree.where, ", ".join(notes[:5]))
    if loose:
        logging.warning(
            "%s: ignored %d images beside the class folders: %s",
            tree.where,
            len(loose),
            _some(loose),
        )
    return tuple(loose)


def shown(name: str) -> str:
    """Return a name that can be printed, whatever bytes it stands for."""
    return name.encode(errors="backslashreplace").decode()


def _images(tree: Files, folder: str) -> str:
    return f"{sum(map(is_image, tree.names(folder)))} images"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (" ..." if len(names) > 5 else "")
