"""What must hold of an image set before it is measured?"""

import functools
from collections.abc import Callable, Mapping

import numpy as np
from jaxtyping import Int32, UInt32

from biases_jax.sources import (
    completeness,
    declaration,
    names,
    originals,
    own,
    real_labels,
    trees,
    validation,
)
from biases_jax.sources.source import Reader, Source

Labels = Mapping[str, Int32[np.ndarray, "n k"]]


def checks(
    source: Source,
    reader: Reader,
    labels: Labels,
    ids: UInt32[np.ndarray, "n 2"],
    where: str,
) -> dict[str, Callable[[], None]]:
    """Return all conditions by name: functions that raise ValueError.

    Args:
        source: what the set must be.
        reader: of the set.
        labels: all of its label spaces.
        ids: of its examples.
        where: the set and its place, for messages.
    """
    classes = labels[source.space][:, :1]
    found = {
        "unique": (completeness.check_unique, ids, reader.locations, where),
        "classes": (completeness.check_classes, classes, source.classes, where),
    }
    if isinstance(reader, trees.Tree) and reader.wrong:
        # First: what it leaves out makes the others fail.
        found = {"tree": (_refuse, f"{where}: {reader.wrong}"), **found}
    if reader.expected is not None:
        advice = _advice(source, reader)
        counts = (classes, reader.expected, where, source.space, advice)
        each = _in_conditions(source, labels)
        found["counts"] = (completeness.check_counts, *counts, each)
    elif own.is_own(source.name):
        lacking = (classes, source.name, where)
        found["categories"] = (completeness.check_categories, *lacking)
    declared = source.declares(reader.expected)
    if source.numbered:
        found["labels"] = (validation.prove, reader.names, classes, declared, where)
    if "real" in reader.labels and validation.are_numbered(reader.names):
        real = reader.labels["real"]  # those beside a tree are held apart
        found["real"] = (real_labels.check, reader.names, real, declared, where)
    if source.layout == "session":
        code = (reader.names, source.experiment, where)
        found["set"] = (names.check_experiment, *code)
    if source.original and not declared and isinstance(reader, trees.Tree):
        read = functools.partial(_file, reader)
        found["original"] = (originals.check, reader.names, read, where)
    return {name: functools.partial(*check) for name, check in found.items()}


def proof(source: Source, reader: Reader, labels: Labels) -> str:
    """Return what proves the labels: the published numbers, or the names themselves."""
    if source.layout in ("category_folders", "session"):
        return "by name"
    if not source.numbered:
        return validation.UNPROVABLE
    return validation.verdict(reader.names, labels[source.space][:, :1])


def is_drawn(reader: Reader) -> bool:
    """Return whether a set says that its images are drawn, not photographs."""
    return isinstance(reader, trees.Tree) and declaration.is_drawn(reader.files)


def _advice(source: Source, reader: Reader) -> str:
    """Return what is to be done where counts differ; only trees declare their own."""
    if not isinstance(reader, trees.Tree):
        return "prepare the copy again"
    if is_drawn(reader):
        return "remove the folder; the next run with its configuration draws it again"
    if reader.expected != source.expected:
        return f"complete it, or correct these counts in {declaration.FILE} at its root"
    return f"complete it, or declare a smaller set in {declaration.FILE} at its root"


def _in_conditions(source: Source, labels: Labels) -> dict[str, int]:
    """Return how many examples there are in each condition of the set."""
    if not source.conditions:
        return {}
    places = labels["category_condition"][:, 1]
    counts = np.bincount(places, minlength=len(source.conditions)).tolist()
    return dict(zip(source.conditions, counts, strict=True))


def _file(reader: Reader, index: int) -> bytes:
    return reader.read(index)[1]


def _refuse(message: str) -> None:
    raise ValueError(message)
