"""How are examples listed whose class is a folder's name?

A class folder that bears another class' name is noticed if counts then differ, if the
set does not have that class, or if the files bear the numbers of ImageNet's validation
images. Two folders of ImageNet-A, -R, -Sketch or -V2 that were exchanged as a whole are
not: nothing in those files tells their class.
"""

from collections.abc import Sequence
from typing import NamedTuple

from biases_jax import labels
from biases_jax.sources import images
from biases_jax.sources.files import Files

Examples = list[tuple[str, tuple[int, ...]]]  # location and labels


class Found(NamedTuple):
    """What a tree holds; `wrong` says why it must not be measured, '' if it may.

    Examples that cannot be labelled are left out: the others can still be looked at.
    """

    examples: Examples
    wrong: str = ""


def holds(tree: Files) -> bool:
    """Return whether a tree holds class folders.

    Called by integers they must be of known classes and hold images: a data root may
    have a folder of a year, or of a run's number.
    """
    return any(_is_class(tree, name) for name in tree.names())


def listed(tree: Files) -> Found:
    """Return the files of a tree `<class folder>/<file>`, labelled in 0..999.

    Wrong is a tree whose folders are not all classes, of one kind, each once.
    """
    folders = [name for name in tree.names() if tree.is_folder(name)]
    wrong = ""
    try:
        index_of = labels.class_indices(folders)
    except ValueError as error:
        wrong, index_of = str(error), _known(folders)
    examples = [
        (f"{folder}/{name}", (index,))
        for folder, index in index_of.items()
        for name in tree.names(folder)
    ]
    return Found(examples, wrong)


def _is_class(tree: Files, name: str) -> bool:
    if not labels.is_class_folder(name) or not tree.is_folder(name):
        return False
    if not name.isdecimal():
        return True
    return int(name) < len(labels.WNIDS) and any(map(images.is_image, tree.names(name)))


def _known(folders: Sequence[str]) -> dict[str, int]:
    """Return the classes of the folders that are classes, whatever the others are."""
    known = {}
    for folder in folders:
        try:
            known |= labels.class_indices([folder])
        except ValueError:
            continue  # named by the error over all folders
    return known
