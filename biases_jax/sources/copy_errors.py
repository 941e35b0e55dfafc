"""What is said of a TFDS copy that cannot be read?"""

import contextlib
from collections.abc import Iterator

from etils import epath

_LONGEST = 300  # characters of a library's own words


class CopyError(ValueError):
    """A TFDS copy of no use: the message has its path, the fault, and what to do."""


@contextlib.contextmanager
def reading(folder: epath.PathLike) -> Iterator[None]:
    """Give whatever is raised while a copy is read the copy's path, and advice.

    Files of any content come through TFDS, array_record, protobuf and TensorFlow, each
    with errors of its own that share no other base; so nothing narrower will do here.

    Raises:
        CopyError: in place of any error but ImportError, which says that a library is
            absent and not that the copy is bad.
    """
    try:
        yield
    except (CopyError, ImportError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:_LONGEST]
        raise CopyError(
            f"{folder}: got {type(error).__name__}: {said or 'no reason'}; expected a "
            "whole TFDS copy with the features of the published builder: some of its "
            "files are absent, damaged or changed, so prepare it again, or remove it"
        ) from error
