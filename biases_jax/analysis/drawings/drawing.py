"""What is a figure of the report, and what does it belong to?"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

Item = TypeVar("Item")
MODELS = 12  # in a figure of small multiples, or of curves that cross


class Drawing(NamedTuple):
    """A figure: the name of its file, what is said below it, and its SVG."""

    name: str
    caption: str
    svg: str


class Group(NamedTuple):
    """The figures of one phenomenon, under what is measured and how to read them."""

    heading: str
    text: str
    drawings: Sequence[Drawing]


def parts(name: str, items: Sequence[Item]) -> list[tuple[str, Sequence[Item]]]:
    """Return items in parts of `MODELS`, each under a name of its own."""
    if len(items) <= MODELS:
        return [(name, items)] if items else []
    starts = range(0, len(items), MODELS)
    return [
        (f"{name}_{number}", items[start : start + MODELS])
        for number, start in enumerate(starts, 1)
    ]
