"""How are examples listed whose class is a folder's name?

A class folder that bears another class' name is noticed if counts then differ, if the
set does not have that class, or if the files bear the numbers of ImageNet's validation
images. Two folders of ImageNet-A, -R, -Sketch or -V2 that were exchanged as a whole are
not: nothing in those files tells their class.
"""

from biases_jax import labels
from biases_jax.sources.files import Files

Examples = list[tuple[str, tuple[int, ...]]]  # location and labels


def holds(tree: Files) -> bool:
    """Return whether a tree holds class folders."""
    return any(labels.is_class_folder(n) and tree.is_folder(n) for n in tree.names())


def listed(tree: Files) -> Examples:
    """Return the files of a tree `<class folder>/<file>`, labelled in 0..999.

    Raises:
        ValueError: the class folders are not as expected.
    """
    folders = [name for name in tree.names() if tree.is_folder(name)]
    index_of = labels.class_indices(folders)
    return [
        (f"{folder}/{name}", (index_of[folder],))
        for folder in folders
        for name in tree.names(folder)
    ]
