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
_ADVICE = (
    f"fetch {FILE} of google-research/reassessed-imagenet, or prepare the TFDS copy "
    "imagenet2012_real"
)


def find(names: Sequence[str], data_dir: str) -> Int32[np.ndarray, "n k"]:
    """Return the classes of each image by its name, padded with -1.

    Args:
        names: of the images; k is the most classes that one of them has.
        data_dir: the folder in which `real.json` is expected; '' for none.

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
    return padded([lists[number - 1] for number in numbers.tolist()])


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
