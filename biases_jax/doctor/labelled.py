"""How far can the labels of an image set be trusted, and what may be missing in it?"""

from biases_jax.doctor.findings import Finding, some
from biases_jax.sources import trees, validation
from biases_jax.sources.dataset import Dataset


def proof(opened: Dataset) -> list[Finding]:
    """Return what is to be said of labels that nothing proves.

    Labels that differ from the published ones are a fault, also in a set that declares
    itself: the names promise others. Published sets whose names do not tell the class
    get a note; a set of one's own has no published labels.
    """
    name = opened.source.name
    if opened.declared and opened.proof == validation.OTHER:
        message = (
            "got validation images' names with other labels than those published with "
            "them, expected these; if it is a set of its own, as its dataset.json says,"
            " give its files names of their own"
        )
        return [Finding(name, message)]
    named = opened.source.numbered or opened.proof != validation.UNPROVABLE
    if opened.declared or named:
        return []
    classes = opened.source.classes
    folders = f"exactly the {len(classes)} classes of the set" if classes else "classes"
    counts = opened.reader.expected or "any will do"
    message = (
        "its labels cannot be proved, since the files' names do not tell the class; "
        f"checked are the counts ({counts}), that the folders are "
        f"{folders}, and that each name is there once: folders that were exchanged as "
        "a whole go unnoticed, so hold the archive against its published checksum "
        "before it is unpacked"
    )
    return [Finding(name, message, grave=False)]


def strays(opened: Dataset) -> list[Finding]:
    """Return notes of the files and folders in a tree that are no examples."""
    if not isinstance(opened.reader, trees.Tree):
        return []
    kinds = (
        (
            opened.reader.others,
            "files that are no images by their names",
            "images only: remove them, or see whether an image was renamed or left "
            "unpacked",
        ),
        (
            opened.reader.inner,
            "folders inside folders of images",
            "images only: move those in them one folder up, or remove them",
        ),
        (
            opened.reader.loose,
            "images beside the folders that hold the others",
            "images in folders only: move each into its own, or remove it",
        ),
    )
    return [
        Finding(
            opened.source.name,
            f"got {len(files)} {what} ({some(files)}), which are ignored; expected "
            f"{advice}",
            grave=False,
        )
        for files, what, advice in kinds
        if files
    ]
