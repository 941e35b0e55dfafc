"""How are examples listed whose category is in the file's name (model-vs-human)?

Sixteen categories (Geirhos et al. 2021, https://github.com/bethgelab/model-vs-human).
"""

import re
from collections.abc import Sequence

from biases_jax import labels
from biases_jax.sources import images, model_vs_human
from biases_jax.sources.files import Files
from biases_jax.sources.folders import Found

SESSION = "dnn/session-1"
_CUES = re.compile(r"([a-z]+)[0-9]*-([a-z]+)[0-9]*\.[A-Za-z]+")  # shape, texture


def holds_session(tree: Files) -> bool:
    """Return whether a tree holds the images of a session."""
    return tree.is_folder(SESSION)


def listed_session(tree: Files, conditions: Sequence[str] = ()) -> Found:
    """Return the files `dnn/session-1/<trial>_<set>_dnn_<condition>_<category>_...`.

    Their label is the category, 0 to 15, and the place of the condition where the set
    has `conditions`. Wrong are images with names of another form, or of another
    condition than those.
    """
    found, wrong, foreign = [], [], []
    for name in tree.names(SESSION):
        fields = name.split("_")
        location = f"{SESSION}/{name}"
        if not images.is_image(name):
            found.append((location, ()))
        elif len(fields) < 6 or fields[4] not in labels.CATEGORIES:
            wrong.append(name)
        else:
            category = labels.CATEGORIES.index(fields[4])
            place = model_vs_human.index_of(fields[3], conditions)
            if conditions and place < 0:
                foreign.append(name)
            else:
                found.append((location, (category, place)[: 2 if conditions else 1]))
    said = _said(wrong, "<trial>_<set>_dnn_<condition>_<category>_<code>_<image>")
    return Found(found, "; ".join(filter(None, (said, _unknown(foreign, conditions)))))


def check_experiment(names: Sequence[str], code: str, where: str) -> None:
    """Refuse images whose names tell that they are of another set of equal counts.

    Of a set whose own code is not known ('') all names must have one.

    Raises:
        ValueError: the message names the set, or the codes.
    """
    sets = model_vs_human.EXPERIMENTS
    codes = [(name, c) for name in names for c in name.split("_")[1:2]]
    foreign = [(name, c) for name, c in codes if c in sets and c != code]
    if foreign:
        name, found = foreign[0]
        own = f"{sets.get(code, code)}, <trial>_{code}_..." if code else "this one"
        raise ValueError(
            f"{where}: got {len(foreign)} images of another set, such as {name!r} of "
            f"the set {sets[found]}, expected those of {own}; put each set into its "
            "own folder"
        )
    several = sorted({c for _, c in codes})
    if not code and len(several) > 1:
        raise ValueError(
            f"{where}: got images of the experiments {', '.join(several[:5])}, "
            "expected one code in all names, <trial>_<code>_...; put each set into its "
            "own folder"
        )


def holds_categories(tree: Files) -> bool:
    """Return whether a tree holds category folders."""
    return any(n in labels.CATEGORIES and tree.is_folder(n) for n in tree.names())


def listed_categories(tree: Files) -> Found:
    """Return the files `<shape>/<shape>1-<texture>2.png`, labelled (shape, texture).

    Wrong are images whose folder is no category, or whose names are not of this form
    or have another shape than their folder.
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
    return Found(found, _said(wrong, "<shape>/<shape>1-<texture>2.png"))


def listed_plain_categories(tree: Files) -> Found:
    """Return the files `<category>/<image>`, labelled with the category, 0 to 15.

    Wrong are images whose folder is no category.
    """
    found, wrong = [], []
    for folder in filter(tree.is_folder, tree.names()):
        for name in tree.names(folder):
            location = f"{folder}/{name}"
            if not images.is_image(name):
                found.append((location, ()))
            elif folder in labels.CATEGORIES:
                found.append((location, (labels.CATEGORIES.index(folder),)))
            else:
                wrong.append(location)
    return Found(found, _said(wrong, "<category>/<image>"))


def _cues(name: str) -> tuple[str, ...]:
    """Return shape and texture, nothing if they are no categories."""
    match = _CUES.fullmatch(name.rsplit("_", 1)[-1])
    cues = match.groups() if match else ()
    return cues if set(cues) <= set(labels.CATEGORIES) else ()


def _said(wrong: list[str], form: str) -> str:
    if not wrong:
        return ""
    return (
        f"got the images {_some(wrong)}, expected {form}, "
        f"with categories {', '.join(labels.CATEGORIES)}: the name tells the label; "
        "correct the names, or restore those of a published set"
    )


def _unknown(foreign: list[str], conditions: Sequence[str]) -> str:
    if not foreign:
        return ""
    return (
        f"got the images {_some(foreign)}, expected <trial>_<set>_dnn_<condition>_... "
        f"with one of the conditions {', '.join(conditions)}: restore the published "
        "names, and put each set into its own folder"
    )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(map(repr, names[:5])) + more
