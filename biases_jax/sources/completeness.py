"""Is an image set complete, and is each of its examples there once?"""

import collections
import json
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from jaxtyping import Int, UInt32

from biases_jax import labels
from biases_jax.sources import declaration
from biases_jax.sources.source import Counts

_SHOWN = 8  # classes or files that a message names


def check_counts(
    classes: Int[np.ndarray, "n 1"],
    expected: Counts,
    where: str,
    space: str = "imagenet",
    advice: str = "complete it",
    in_conditions: Mapping[str, int] | None = None,
) -> None:
    """Refuse a set that lacks examples of a class or condition, or has too many.

    Args:
        classes: the class index of every example.
        expected: what a complete set holds.
        where: the set and its place, for the message.
        advice: what is to be done, for the message.
        space: what the indices mean: `imagenet`, or a space of the 16 categories.
        in_conditions: how many examples there are in each condition.

    Raises:
        ValueError: the counts differ; the message names the gap.
    """
    described = (
        labels.describe if space == "imagenet" else labels.CATEGORIES.__getitem__
    )
    known = len(labels.WNIDS if space == "imagenet" else labels.CATEGORIES)
    per_class = np.bincount(classes[:, 0], minlength=known)
    present = int(np.count_nonzero(per_class))
    uneven = _uneven(per_class, expected, described)
    odd = _odd(in_conditions or {}, expected)
    complete = (present, len(classes)) == (expected.classes, expected.examples)
    if complete and not uneven and not odd:
        return
    gaps = []
    if expected.classes == known:
        gaps += _absent(per_class, described)
    if uneven:
        gaps.append(f"not {expected.per_class} images in {_some(uneven)}")
    if odd:
        gaps.append(f"not {expected.per_condition} in the condition {_some(odd)}")
    raise ValueError(
        f"{where}: got {len(classes)} images of {present} classes, expected "
        f"{expected.examples} of {expected.classes}"
        + "".join(f"; {gap}" for gap in gaps)
        + f"; {advice}"
    )


def check_categories(classes: Int[np.ndarray, "n 1"], source: str, where: str) -> None:
    """Refuse a set of undeclared counts that lacks one of the sixteen categories.

    Args:
        classes: the category, 0 to 15, of every example.
        source: the set's name, for the declaration that the message shows.
        where: the set and its place, for the message.

    Raises:
        ValueError: the message names the categories, and what to declare.
    """
    known = len(labels.CATEGORIES)
    per_class = np.bincount(classes[:, 0], minlength=known)
    gaps = _absent(per_class, labels.CATEGORIES.__getitem__)
    if gaps:
        present = int(np.count_nonzero(per_class))
        declared = {"source": source, "classes": present, "examples": len(classes)}
        raise ValueError(
            f"{where}: got images in {present} category folders, expected all {known}; "
            f"{gaps[0]}; add them, or declare the smaller set in {declaration.FILE} "
            f"at its root: {json.dumps(declared)}"
        )


def check_classes(
    classes: Int[np.ndarray, "n 1"], allowed: Sequence[int], where: str
) -> None:
    """Refuse a set with images of a class that it does not have; none allowed: any.

    Raises:
        ValueError: the message names the classes.
    """
    foreign = np.setdiff1d(classes, allowed).tolist() if allowed else []
    if foreign:
        raise ValueError(
            f"{where}: got images of {_some([labels.describe(i) for i in foreign])}, "
            f"expected only the {len(allowed)} classes of this set; their folders may "
            "have been renamed or numbered anew: unpack the set again"
        )


def check_unique(
    ids: UInt32[np.ndarray, "n 2"], locations: Sequence[str], where: str
) -> None:
    """Refuse a set in which two examples have one identity.

    Raises:
        ValueError: the message names the files.
    """
    groups = collections.defaultdict(list)
    for packed, location in zip(
        labels.packed_ids(ids).tolist(), locations, strict=True
    ):
        groups[packed].append(location)
    twins = [" = ".join(group) for group in groups.values() if len(group) > 1]
    if twins:
        raise ValueError(
            f"{where}: got {len(twins)} file names more than once ({_some(twins)}), "
            "expected each once, since the name is an example's identity; remove the "
            "copies"
        )


def _absent(
    per_class: Int[np.ndarray, " c"], described: Callable[[int], str]
) -> list[str]:
    absent = [described(i) for i in np.flatnonzero(per_class == 0).tolist()]
    return [f"no images of {_some(absent)}"] if absent else []


def _uneven(
    per_class: Int[np.ndarray, " c"],
    expected: Counts,
    described: Callable[[int], str],
) -> list[str]:
    if expected.per_class is None:
        return []
    wrong = (per_class != expected.per_class) & (per_class > 0)
    return [f"{described(i)}: {per_class[i]}" for i in np.flatnonzero(wrong).tolist()]


def _odd(in_conditions: Mapping[str, int], expected: Counts) -> list[str]:
    if expected.per_condition is None:
        return []
    each = in_conditions.items()
    return [f"{name}: {n}" for name, n in each if n != expected.per_condition]


def _some(items: Sequence[str]) -> str:
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(items[:_SHOWN]) + more
