"""What did the runs in this folder have to say?"""

import contextlib
import logging
from collections.abc import Iterator

from etils import epath


@contextlib.contextmanager
def keeping(path: epath.Path) -> Iterator[None]:
    """Write all messages to a file too, those of each run below the earlier ones.

    Raises:
        OSError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger = logging.getLogger()
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
