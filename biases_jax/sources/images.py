"""Which files are images, by their names?"""

import os
from collections.abc import Sequence

from absl import logging

SUFFIXES = frozenset(
    (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".pgm", ".gif", ".tif", ".tiff")
)


def is_image(location: str) -> bool:
    """Return whether a file's name ends as an image's."""
    return os.path.splitext(location)[1].lower() in SUFFIXES


def warn_of_others(where: str, locations: Sequence[str]) -> tuple[str, ...]:
    """Return the files that are ignored since they are no images, sorted; name some."""
    others = sorted(location for location in locations if not is_image(location))
    if others:
        logging.warning(
            "%s: ignored %d files that are no images: %s%s",
            where,
            len(others),
            ", ".join(others[:5]),
            " ..." if len(others) > 5 else "",
        )
    return tuple(others)
