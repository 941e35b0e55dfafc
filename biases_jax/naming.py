"""Which names do patterns stand for?"""

import difflib
import fnmatch
from collections.abc import Collection, Sequence

FEW = 60  # names that a message may list


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
            f"{what}; {_known(unmatched, known)}"
        )
    return [name for name in known if any(_matching(p)(name) for p in patterns)]


def _matching(pattern):
    return lambda name: fnmatch.fnmatchcase(name, pattern)


def _known(unmatched: Sequence[str], known: Collection[str]) -> str:
    """Return which names there are: all if few, else the nearest and how they begin."""
    if len(known) <= FEW:
        return f"known: {', '.join(known)}"
    found = [difflib.get_close_matches(name, known) for name in unmatched]
    nearest = dict.fromkeys(name for names in found for name in names)
    starts = dict.fromkeys(name.partition("/")[0] for name in known)
    said = [f"nearest: {', '.join(nearest)}"] if nearest else []
    return "; ".join([*said, f"all begin with one of {', '.join(starts)}"])
