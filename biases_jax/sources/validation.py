"""Which class has each of ImageNet's numbered validation images?

The published list lies in TFDS' own package (50,000 wnids by number). It proves the
labels of every set that has these names, however its folders came about, and gives
those of the published archive, which has no folders.
"""

import collections
import functools
import importlib.resources
import re
from collections.abc import Sequence

import numpy as np
from absl import logging
from jaxtyping import Int, Int32

from biases_jax import labels
from biases_jax.sources import folders, images
from biases_jax.sources.files import Files

IMAGES = 50_000
_NAME = re.compile(r"ILSVRC2012_val_([0-9]{8})\.[A-Za-z]+")
_LIST = "datasets/imagenet2012/validation_labels.txt"
PROVED, OTHER, UNPROVABLE = "proved", "other than published", "not provable"


def numbers(names: Sequence[str]) -> Int32[np.ndarray, " n"]:
    """Return the numbers, from 1, in the names `ILSVRC2012_val_00000001.JPEG`.

    Raises:
        ValueError: a name has none, or one above 50,000.
    """
    found = [_number(name) for name in names]
    wrong = [n for n, number in zip(names, found, strict=True) if not _known(number)]
    if wrong:
        raise ValueError(
            f"got {len(wrong)} names such as {wrong[0]!r}, expected each to be that of "
            f"a validation image, ILSVRC2012_val_00000001.JPEG to {IMAGES:08d}"
        )
    return np.array(found, np.int32)


def are_numbered(names: Sequence[str]) -> bool:
    """Return whether all names are those of validation images."""
    return all(_NAME.fullmatch(name) for name in names)


def holds(tree: Files) -> bool:
    """Return whether a tree holds validation images, and none in class folders."""
    return any(map(_NAME.fullmatch, tree.names())) and not folders.holds(tree)


def listed(tree: Files) -> folders.Found:
    """Return the files of a tree `<image>`, labelled in 0..999 by their numbers.

    Wrong are images whose names have no number.
    """
    found = tree.names()
    pictures = [name for name in found if images.is_image(name)]
    others = [(name, ()) for name in found if not images.is_image(name)]
    wrong = ""
    try:
        numbers(pictures)
    except ValueError as error:
        wrong = str(error)
        pictures = [name for name in pictures if _known(_number(name))]
    labelled = classes()[numbers(pictures) - 1].tolist()
    pairs = zip(pictures, labelled, strict=True)
    return folders.Found([(name, (label,)) for name, label in pairs] + others, wrong)


@functools.cache
def classes() -> Int32[np.ndarray, "50000"]:
    """Return the class index, 0 to 999, of each validation image by number - 1."""
    package = importlib.resources.files("tensorflow_datasets")
    wnids = package.joinpath(_LIST).read_text(encoding="utf-8").split()
    return np.array([labels.index_of(wnid) for wnid in wnids], np.int32)


def prove(
    names: Sequence[str], found: Int[np.ndarray, "n 1"], declared: bool, where: str
) -> None:
    """Hold labels against those published with the names.

    A set that declares its own counts may have its own labels: of it, other labels
    than those published are said, not refused.

    Raises:
        ValueError: a label differs, or a name has no number; the message names some.
    """
    if declared and not are_numbered(names):
        return
    try:
        _check(names, found)
    except ValueError as error:
        if not declared:
            raise ValueError(f"{where}: {error}; unpack the set again") from error
        logging.warning("%s: %s; taken as it is, as it declares itself", where, error)


def verdict(names: Sequence[str], found: Int[np.ndarray, "n 1"]) -> str:
    """Return whether the published numbers prove labels: one of the three above."""
    if not names or not are_numbered(names):
        return UNPROVABLE
    try:
        _check(names, found)
    except ValueError:
        return OTHER
    return PROVED


def _check(names: Sequence[str], found: Int[np.ndarray, "n 1"]) -> None:
    _refuse_twins(names)
    published = classes()[numbers(names) - 1]
    wrong = np.flatnonzero(published != found[:, 0]).tolist()
    if wrong:
        shown = "; ".join(
            f"{names[i]} as {labels.describe(int(found[i, 0]))}, published as "
            f"{labels.describe(int(published[i]))}"
            for i in wrong[:3]
        )
        raise ValueError(
            f"got {len(wrong)} wrong labels ({shown}), expected the published ones: "
            "class folders were renamed, or files moved"
        )


def _refuse_twins(names: Sequence[str]) -> None:
    """Refuse two files of one image (`.JPEG` and `.jpg`), which would count twice."""
    named = collections.defaultdict(list)
    for name, number in zip(names, numbers(names).tolist(), strict=True):
        named[number].append(name)
    twins = [found for found in named.values() if len(found) > 1]
    if not twins:
        return
    shown = "; ".join(" = ".join(map(repr, found)) for found in twins[:3])
    lacking = sorted(set(range(1, IMAGES + 1)) - set(named))
    gone = f", and none of number {lacking[0]}" if len(names) == IMAGES else ""
    raise ValueError(
        f"got {len(twins)} validation images more than once ({shown}){gone}, expected "
        "each number once; remove the copies"
    )


def _number(name: str) -> int:
    match = _NAME.fullmatch(name)
    return int(match[1]) if match else 0


def _known(number: int) -> bool:
    return 1 <= number <= IMAGES
