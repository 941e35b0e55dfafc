"""Which classes does ReaL see in each validation image (Beyer et al. 2020)?

https://github.com/google-research/reassessed-imagenet, file `real.json`: 50,000 lists
of class indices, of which some are empty. The list of ILSVRC2012_val_0000000n.JPEG is
number n, counted from 1, whatever the order in which images lie anywhere.
"""

import json
from collections.abc import Sequence

import numpy as np
from etils import epath
from jaxtyping import Int32

from biases_jax import labels
from biases_jax.sources import validation

FILE = "real.json"  # in the data root
NON_EMPTY = 46_837  # of the 50,000 lists
# The published label is among ReaL's for nine of ten images; for a list that belongs to
# another image, for one of hundreds. A few hard classes may agree less.
_LEAST, _LEAST_OF_PART, _ENOUGH = 0.8, 0.1, 100
_ADVICE = (
    f"fetch {FILE} of google-research/reassessed-imagenet, or prepare the TFDS copy "
    "imagenet2012_real"
)


def find(
    names: Sequence[str], data_dir: str, declared: bool = False
) -> Int32[np.ndarray, "n k"]:
    """Return the classes of each image by its name, padded with -1.

    Args:
        names: of the images; k is the most classes that one of them has.
        data_dir: the folder in which `real.json` is expected; '' for none.
        declared: whether the images are a set that says it is not the published one.

    Raises:
        FileNotFoundError: it is not there.
        ValueError: it is not as published, or a name has no number in it.
    """
    if not data_dir:
        raise FileNotFoundError(
            f"got no --config.data_dir, expected {FILE} in it; {_ADVICE}"
        )
    path = epath.Path(data_dir) / FILE
    if not path.exists():
        raise FileNotFoundError(
            f"got no {path}, expected ReaL's labels there; {_ADVICE}"
        )
    try:
        lists = _checked(json.loads(path.read_text()), len(names))
        numbers = validation.numbers(names)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}; {_ADVICE}") from error
    if numbers.size and numbers.max() > len(lists):
        raise ValueError(
            f"{path}: got {len(lists)} lists, expected one for image {numbers.max()}; "
            + _ADVICE
        )
    found = padded([lists[number - 1] for number in numbers.tolist()])
    check(names, found, declared, str(path))
    return found


def check(
    names: Sequence[str], found: Int32[np.ndarray, "n k"], declared: bool, where: str
) -> None:
    """Refuse lists that are not ReaL's: too few, or those of other images.

    Raises:
        ValueError: the message tells how many images have one, or agree.
    """
    known = found[:, 0] >= 0
    count, whole = int(known.sum()), len(names) == validation.IMAGES and not declared
    if whole and count != NON_EMPTY:
        raise ValueError(
            f"{where}: got classes for {count} of {len(names)} images, expected them "
            f"for {NON_EMPTY}; {_ADVICE}"
        )
    if count < _ENOUGH:
        return
    published = validation.classes()[validation.numbers(names) - 1]
    agreeing = (found == published[:, None]).any(axis=1)[known].mean()
    if agreeing < (_LEAST if whole else _LEAST_OF_PART):
        raise ValueError(
            f"{where}: got the published class in {agreeing:.1%} of {count} lists, "
            "expected about nine of ten: the lists are in another order, or number the "
            f"classes otherwise; {_ADVICE}"
        )


def padded(lists: Sequence[Sequence[int]]) -> Int32[np.ndarray, "n k"]:
    """Return lists of labels as one array, padded with -1 to the longest of them."""
    width = max(map(len, lists), default=0)
    array = np.full((len(lists), max(width, 1)), -1, np.int32)
    for row, values in zip(array, lists, strict=True):
        row[: len(values)] = values
    return array


def _checked(lists: object, examples: int) -> list[list[int]]:
    """Return the lists if they are as published, or one for each example."""
    if not isinstance(lists, list):
        raise ValueError(f"got {type(lists).__name__}, expected a list of lists")
    if len(lists) not in (validation.IMAGES, examples):
        raise ValueError(
            f"got {len(lists)} lists, expected {validation.IMAGES}, one for each "
            "validation image"
        )
    for number, entry in enumerate(lists, 1):
        # Not isinstance: True would pass for class 1.
        if type(entry) is not list or any(type(value) is not int for value in entry):
            raise ValueError(
                f"got {entry!r} for image {number}, expected a list of integers"
            )
        if any(not 0 <= value < len(labels.WNIDS) for value in entry):
            raise ValueError(
                f"got classes {entry} for image {number}, expected 0 to "
                f"{len(labels.WNIDS) - 1}"
            )
    return lists
