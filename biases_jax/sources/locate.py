"""Where does a source lie here: as its published tree or archive, or as a TFDS copy?"""

from collections.abc import Sequence
from typing import NamedTuple

from etils import epath

from biases_jax.sources import copies, declaration, places, tfds_arrays, trees
from biases_jax.sources.source import FORMS, Reader, Source


class Located(NamedTuple):
    """A reader of a source's examples, unchecked.

    `where` tells a person. `fresh` says that its list of examples took a pass over
    the whole copy, so that it is worth keeping.
    """

    reader: Reader
    where: str
    fresh: bool


class AbsentError(FileNotFoundError):
    """A source is nowhere; `tried` are the places, with what is wrong with each."""

    def __init__(self, message: str, tried: Sequence[str]):
        super().__init__(message)
        self.tried = tuple(tried)


def locate(
    source: Source,
    data_dir: str,
    tfds_dir: str,
    manifest_dir: epath.PathLike | None = None,
) -> Located:
    """Return a reader of a source's published tree or archive, else of its TFDS copy.

    Args:
        source: a row of `catalog.SOURCES`.
        data_dir: root of the image folders; '' for none.
        tfds_dir: root of the TFDS data sets; '' for TFDS' own default.
        manifest_dir: where the list of a TFDS copy may lie, None for nowhere. It is
            only read.

    Raises:
        AbsentError: neither is there; the message lists the paths tried.
        ImportError: the copy is stored as TFRecord, and TensorFlow is absent.
        ValueError: what is there is not as published.
    """
    tree, tried = places.find_tree(source, data_dir)
    if tree is not None:
        return Located(trees.open_tree(source, tree), tree.where, fresh=False)
    copy, folder, more = tfds_arrays.find_copy(source, tfds_dir)
    if copy is None:
        tried += more
        raise AbsentError(_not_found(source, tried, data_dir), tried)
    reader, listed = copies.open_copy(source, copy, folder, manifest_dir)
    return Located(reader, str(folder), fresh=not listed)


def _not_found(source: Source, tried: list[str], data_dir: str) -> str:
    return (
        f"{source.name}: neither a tree or archive nor a TFDS copy is there; tried "
        + ", ".join(tried)
        + ("" if data_dir else " (no --config.data_dir was given)")
        + f"; expected <root>/{FORMS[source.layout]}, with {source.holds}; a smaller "
        f"set declares its counts in <root>/{declaration.FILE}"
    )
