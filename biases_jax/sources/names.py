"""How are examples listed whose category is in the file's name (model-vs-human)?

Sixteen categories (Geirhos et al. 2021, https://github.com/bethgelab/model-vs-human).
Two sets of equal counts, such as its sketch and its stylized images, cannot be told
apart: the folder's name must be right.
"""

import re

from biases_jax import labels
from biases_jax.sources import images
from biases_jax.sources.files import Files
from biases_jax.sources.folders import Examples

SESSION = "dnn/session-1"
_CUES = re.compile(r"([a-z]+)[0-9]*-([a-z]+)[0-9]*\.[A-Za-z]+")  # shape, texture


def holds_session(tree: Files) -> bool:
    """Return whether a tree holds the images of a session."""
    return tree.is_folder(SESSION)


def listed_session(tree: Files) -> Examples:
    """Return the files `dnn/session-1/<trial>_<set>_dnn_<condition>_<category>_...`.

    Their label is the category, 0 to 15.

    Raises:
        ValueError: an image's name is not of this form.
    """
    found, wrong = [], []
    for name in tree.names(SESSION):
        fields = name.split("_")
        if not images.is_image(name):
            found.append((f"{SESSION}/{name}", ()))
        elif len(fields) > 5 and fields[4] in labels.CATEGORIES:
            category = labels.CATEGORIES.index(fields[4])
            found.append((f"{SESSION}/{name}", (category,)))
        else:
            wrong.append(name)
    _refuse(tree, wrong, "<trial>_<set>_dnn_<condition>_<category>_<code>_<image>")
    return found


def holds_categories(tree: Files) -> bool:
    """Return whether a tree holds category folders."""
    return any(n in labels.CATEGORIES and tree.is_folder(n) for n in tree.names())


def listed_categories(tree: Files) -> Examples:
    """Return the files `<shape>/<shape>1-<texture>2.png`, labelled (shape, texture).

    Raises:
        ValueError: a folder is no category, or an image's name is not of this form or
            has another shape than its folder.
    """
    found, wrong = [], []
    folders = [name for name in tree.names() if tree.is_folder(name)]
    for folder in folders:
        for name in tree.names(folder):
            location = f"{folder}/{name}"
            cues = _cues(name)
            if not images.is_image(name):
                found.append((location, ()))
            elif cues and cues[0] == folder:
                pair = (labels.CATEGORIES.index(cue) for cue in cues)
                found.append((location, tuple(pair)))
            else:
                wrong.append(location)
    _refuse(tree, wrong, "<shape>/<shape>1-<texture>2.png")
    return found


def _cues(name: str) -> tuple[str, ...]:
    """Return shape and texture, nothing if they are no categories."""
    match = _CUES.fullmatch(name.rsplit("_", 1)[-1])
    cues = match.groups() if match else ()
    return cues if set(cues) <= set(labels.CATEGORIES) else ()


def _refuse(tree: Files, wrong: list[str], form: str) -> None:
    if wrong:
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise ValueError(
            f"{tree.where}: got the images {', '.join(map(repr, wrong[:5]))}{more}, "
            f"expected {form}, with categories {', '.join(labels.CATEGORIES)}: the "
            "name tells the label; restore the published names"
        )
