"""How are examples listed whose category is in the file's name (model-vs-human)?

Sixteen categories (Geirhos et al. 2021, https://github.com/bethgelab/model-vs-human).
"""

import re
from collections.abc import Sequence

from biases_jax import labels
from biases_jax.sources import images
from biases_jax.sources.files import Files
from biases_jax.sources.folders import Found

SESSION = "dnn/session-1"
EXPERIMENTS = {  # the second field of a session's names, which tells the set
    "cl": "colour",
    "cop": "contrast",
    "fc": "false-colour",
    "hp": "high-pass",
    "lp": "low-pass",
    "nse": "uniform-noise",
    "pow": "power-equalisation",
    "ps": "phase-scrambling",
    "rot": "rotation",
    "ske": "sketch",
    "sty": "stylized",
}
_CUES = re.compile(r"([a-z]+)[0-9]*-([a-z]+)[0-9]*\.[A-Za-z]+")  # shape, texture


def holds_session(tree: Files) -> bool:
    """Return whether a tree holds the images of a session."""
    return tree.is_folder(SESSION)


def listed_session(tree: Files) -> Found:
    """Return the files `dnn/session-1/<trial>_<set>_dnn_<condition>_<category>_...`.

    Their label is the category, 0 to 15. Wrong are images with names of another form.
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
    form = "<trial>_<set>_dnn_<condition>_<category>_<code>_<image>"
    return Found(found, _said(wrong, form))


def check_experiment(names: Sequence[str], code: str, where: str) -> None:
    """Refuse images whose names tell that they are of another set of equal counts.

    Raises:
        ValueError: the message names the set.
    """
    codes = [(name, name.split("_")[1:2]) for name in names]
    foreign = [(name, c[0]) for name, c in codes if c and c[0] in EXPERIMENTS]
    foreign = [(name, found) for name, found in foreign if found != code]
    if foreign:
        name, found = foreign[0]
        raise ValueError(
            f"{where}: got {len(foreign)} images of another set, such as {name!r} of "
            f"the set {EXPERIMENTS[found]}, expected those of {EXPERIMENTS[code]}, "
            f"<trial>_{code}_...; put each set into its own folder"
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


def _cues(name: str) -> tuple[str, ...]:
    """Return shape and texture, nothing if they are no categories."""
    match = _CUES.fullmatch(name.rsplit("_", 1)[-1])
    cues = match.groups() if match else ()
    return cues if set(cues) <= set(labels.CATEGORIES) else ()


def _said(wrong: list[str], form: str) -> str:
    if not wrong:
        return ""
    more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
    return (
        f"got the images {', '.join(map(repr, wrong[:5]))}{more}, expected {form}, "
        f"with categories {', '.join(labels.CATEGORIES)}: the name tells the label; "
        "restore the published names"
    )
