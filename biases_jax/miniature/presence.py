"""Is an image set there as it would be drawn now?"""

import hashlib

from etils import epath

from biases_jax.miniature import sets
from biases_jax.sources import declaration, real_labels
from biases_jax.sources.files import Folder

REVISION = 3  # grows when the same arguments give other pictures
REASSESSED = ".real.drawn"  # beside the lists of valid classes: which set's they are


def is_there(root: epath.Path, row: sets.ImageSet, seed: int) -> bool:
    """Return whether a set lies below the data root, as it is drawn now.

    Raises:
        ValueError: something else lies there.
    """
    folder = root / row.folder
    if not folder.exists():
        return False
    if declaration.read(Folder(folder)) != declared(row, seed):
        raise _other(folder, row.source)
    return True


def is_unassessed(root: epath.Path, row: sets.ImageSet, seed: int) -> bool:
    """Return whether the lists of valid classes are to be written, with this set.

    Raises:
        ValueError: those of another set lie there.
    """
    lists = root / real_labels.FILE
    if row.source != "imagenet" or not lists.exists():
        return row.source == "imagenet"
    drawn = root / REASSESSED
    if not drawn.exists() or drawn.read_text() != declared(row, seed)["drawn"]:
        raise _other(lists, "the valid classes of its images")
    return False


def _other(place: epath.Path, what: str) -> ValueError:
    return ValueError(
        f"got another set in {place}, expected {what} as drawn with these arguments by "
        "this version, or nothing; remove it, and the next run draws it again, or "
        "choose another folder"
    )


def declared(row: sets.ImageSet, seed: int) -> dict[str, int | str]:
    """Return what `dataset.json` says: counts, and a digest of all that was asked."""
    kinds = [item.kind for item in row.items]
    made = (REVISION, sets.seed_of(row.stream, seed), row[:-2], row.render.__name__)
    return {
        "source": row.source,
        "classes": len(set(kinds)),
        "examples": len(kinds),
        "per_class": kinds.count(kinds[0]),
        "drawn": hashlib.sha256(repr(made).encode()).hexdigest()[:16],
    }
