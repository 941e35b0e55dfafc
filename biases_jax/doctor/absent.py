"""What is expected where nothing is, said once for the parts of one tree?"""

from collections.abc import Sequence
from typing import NamedTuple

from biases_jax.doctor.findings import Finding, some
from biases_jax.sources import declaration
from biases_jax.sources.source import FORMS, Source

_PLACE = "<corruption>/<severity>"
_SHOWN = 20  # sets that a message names, of those of which not all are absent


class Absent(NamedTuple):
    """A source that is nowhere, and the places that were tried."""

    source: Source
    tried: tuple[str, ...]


def tree(source: Source) -> str:
    """Return the name of the published tree that a source lies in.

    It is the source's own, unless that is one corruption at one severity.
    """
    return source.name.partition("/")[0] if _is_part(source) else source.name


def finding(absent: Sequence[Absent], asked: int, data_dir: str) -> Finding:
    """Return what is expected of the absent sources of one tree, and where.

    Args:
        absent: of one tree, one or more.
        asked: how many of this tree's sources are asked for.
        data_dir: root of the image folders; '' for none.
    """
    source, several = absent[0].source, asked > 1
    root = f"{data_dir or '<config.data_dir>'}/{source.folders[0]}".rstrip("/")
    root = _general(root, source) if several else root
    count = f" of {len(absent)} of the {asked} sets asked for" if several else ""
    lines = [
        f"got no tree, archive or TFDS copy{count}; put the published files there, or "
        "give --config.data_dir or --config.tfds_dir. Expected:",
        f"{root}/{FORMS[source.layout]}",
        f"{'each ' if several else ''}with {source.holds},"
        f" or {root}.tar with the same in it; a smaller set declares its counts in "
        f"{declaration.FILE}.",
        *([_parts([one.source for one in absent])] if several else []),
    ]
    archives = [text for one in absent for text in _archives(one.source, several)]
    if archives:
        listed = ", ".join(dict.fromkeys(archives))
        lines.append(f"Or, below the data root, of the archive: {listed}.")
    tried = [
        _general(text, one.source) if several else text
        for one in absent
        for text in one.tried
    ]
    text = "\n   ".join([*lines, "Tried:", *dict.fromkeys(tried)])
    return Finding(tree(source) if several else source.name, text)


def _is_part(source: Source) -> bool:
    place = _place(source)
    return place.count("/") == 1 and source.folders[0].endswith(f"/{place}")


def _place(source: Source) -> str:
    return source.name.partition("/")[2]


def _general(text: str, source: Source) -> str:
    return text.replace(_place(source), _PLACE)


def _parts(sources: Sequence[Source]) -> str:
    """Return which sets are meant: every folder's name, if each has all severities."""
    places = [_place(source) for source in sources]
    corruptions, severities = (
        list(dict.fromkeys(names))
        for names in zip(*(place.split("/") for place in places), strict=True)
    )
    if len(places) < len(corruptions) * len(severities):
        return f"Absent are {some(places, _SHOWN)}."
    return (
        f"Absent are the corruptions {', '.join(corruptions)}, at each of the "
        f"severities {', '.join(severities)}."
    )


def _archives(source: Source, several: bool) -> list[str]:
    """Return a source's archives with what is in them; of several, of one root."""
    found = [f"{path} ({inside or 'all of it'})" for path, inside in source.archives]
    if not several:
        return found
    root = source.folders[0].removesuffix(f"/{_place(source)}")
    return [_general(text, source) for text in found if text.startswith(root)]
