"""Which names do patterns stand for?"""

import fnmatch
from collections.abc import Collection, Sequence


def select(patterns: Sequence[str], known: Collection[str], what: str) -> list[str]:
    """Return the known names that match any pattern ('imagenet_c/*'), in their order.

    Args:
        patterns: names, or with the wildcards of a shell; upper and lower case differ.
        known: all names.
        what: they are names of, for the message ('an image set').

    Raises:
        ValueError: a pattern matches no name.
    """
    unmatched = [p for p in patterns if not any(map(_matching(p), known))]
    if unmatched:
        raise ValueError(
            f"got {', '.join(map(repr, unmatched))}, expected a name or pattern of "
            f"{what}; known: {', '.join(known)}"
        )
    return [name for name in known if any(_matching(p)(name) for p in patterns)]


def _matching(pattern):
    return lambda name: fnmatch.fnmatchcase(name, pattern)
