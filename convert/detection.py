"""In which of the known layouts is a file whose layout nobody told?"""

from collections.abc import Iterator
from typing import Any

from biases_jax.models import layouts, spec
from convert import errors, mapping, state_dict

SINGLE = [layout for layout in layouts.LAYOUTS.values() if layout.head is None]
TOP = {name.split(".")[0] for name in mapping.leaves()}  # conv1, bn1, layer1, ..., fc
MANY = 200  # of the 267 tensors; no head or other part of a network has as many


def detect(tree: Any) -> spec.Layout:
    """Return the first layout by whose rules all names are those of a ResNet-50.

    Where none fits, the layout is returned by which the fewest names are missing or
    unknown: the conversion then lists them.

    Args:
        tree: what `state_dict.read` found in a file that holds a whole network.

    Raises:
        CheckpointError: the file holds two networks (an average beside the weights,
            say), or no dict.
    """
    found = {
        layout.name: entries for layout in SINGLE if (entries := _try(tree, layout))
    }
    if not found:
        state_dict.entries(tree, spec.PLAIN)  # which says what the file holds
    strange = {
        name: sum(map(len, mapping.strangers(entries.values)))
        for name, entries in found.items()
    }
    best = min(strange, key=strange.__getitem__)
    others = [root for root in _networks(tree, found[best]) if strange[best] == 0]
    if others:
        raise errors.CheckpointError(
            f"got several networks, at {found[best].root!r} and "
            f"{' and '.join(map(repr, others))} in the file; say which one: by its "
            "layout (name=layout:path), or by --root of python -m convert"
        )
    return layouts.LAYOUTS[best]


def _try(tree: Any, layout: spec.Layout) -> state_dict.Entries | None:
    try:
        return state_dict.entries(tree, layout.backbone)
    except errors.CheckpointError:
        return None


def _networks(tree: Any, chosen: state_dict.Entries) -> Iterator[str]:
    """Yield the paths of other networks in a file, by the names of their tensors."""
    taken = {id(value) for value in chosen.values.values()}
    wanted = set(mapping.leaves())
    for path, node in _dicts(tree):
        names = [name for name in node if isinstance(name, str)]
        tensors = {name for name in names if _without_prefix(name) in wanted}
        same = any(id(node[name]) in taken for name in tensors)
        if len(tensors) >= MANY and not same:
            yield path


def _dicts(tree: Any, path: str = "", depth: int = 3) -> Iterator[tuple[str, dict]]:
    """Yield the dicts in dicts with their paths, a few levels deep."""
    if isinstance(tree, dict) and depth:
        yield path, tree
        for name, value in tree.items():
            if isinstance(name, str):
                yield from _dicts(value, f"{path}.{name}" if path else name, depth - 1)


def _without_prefix(name: str) -> str:
    """The name from its first part on that is torchvision's."""
    parts = name.split(".")
    known = (i for i, part in enumerate(parts) if part in TOP)
    return ".".join(parts[next(known, 0) :])
