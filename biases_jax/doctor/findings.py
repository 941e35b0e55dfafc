"""What is wrong, and what is to be done about it?"""

from collections.abc import Sequence
from typing import NamedTuple


class Finding(NamedTuple):
    """A fault of `subject`; the message says what was got, expected, and what to do.

    One that is not `grave` is a note: a run can do with it.
    """

    subject: str
    message: str
    grave: bool = True


def numbered(found: Sequence[Finding]) -> str:
    """Return the findings as numbered lines; '' for none."""
    return "\n".join(
        f"{number}. {finding.subject}: {finding.message}"
        for number, finding in enumerate(found, 1)
    )


def some(items: Sequence[str], limit: int = 5) -> str:
    """Return the first items in words, and how many more there are."""
    more = f" and {len(items) - limit} more" if len(items) > limit else ""
    return ", ".join(items[:limit]) + more
