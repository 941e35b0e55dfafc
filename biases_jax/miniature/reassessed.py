"""Which classes are valid for each drawn validation image, as in ReaL?"""

import json

import numpy as np
from etils import epath
from jaxtyping import Int

from biases_jax.miniature import classes, sets, visibility
from biases_jax.sources import validation

# Of an object's area, so that its class is certain. Of the first object: so that about
# as many images have no valid class as in ReaL, 6 %.
ENOUGH = 0.75
ENOUGH_OF_SECOND = 0.5


def write(path: epath.Path, rows: sets.ImageSet, seed: int) -> None:
    """Write `real.json`: 50,000 lists of classes, empty where nothing was drawn."""
    indices, kinds = np.array([item[1:3] for item in rows.items]).T
    stream = sets.seed_of(rows.stream, seed)
    what = visibility.seen(stream, indices, kinds, rows.settings)
    names = [item.path.rpartition("/")[2] for item in rows.items]
    lists: list[list[int]] = [[] for _ in range(validation.IMAGES)]
    for number, valid in zip(
        validation.numbers(names).tolist(), valid_classes(kinds, what), strict=True
    ):
        lists[number - 1] = valid
    part = path.parent / f"{path.name}.part"
    part.write_text(json.dumps(lists))
    part.replace(path)


def valid_classes(
    kinds: Int[np.ndarray, " n"], what: visibility.Seen
) -> list[list[int]]:
    """Return the classes, 0 to 999, that are right for images of these kinds.

    Those of all objects that are seen well; none where the object that the image is
    named after is largely hidden or cut off.
    """
    found = []
    for kind, first, second, other in zip(kinds.tolist(), *what[1:], strict=True):
        valid = [kind] if first >= ENOUGH else []
        if valid and other >= 0 and second >= ENOUGH_OF_SECOND:
            valid.append(int(other))
        found.append(sorted(classes.INDICES[number] for number in valid))
    return found
