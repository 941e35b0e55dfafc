"""In which of the known layouts is a file whose layout nobody told?"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from biases_jax.models import layouts, spec
from convert import errors, mapping, state_dict

SINGLE = [layout for layout in layouts.LAYOUTS.values() if layout.head is None]
WANTED = list(mapping.leaves())
TOP = {name.split(".")[0] for name in WANTED}  # conv1, bn1, layer1, ..., fc
MANY = 150  # tensors of a network; its parameters alone are 161, no head has as many
FEW = 20  # names that are missing or unknown in a file of a layout that is known
DEPTH = 5  # levels of dicts and lists that are looked through
# An optimizer may keep its state by the parameters' names.
OPTIMIZER = re.compile("optim|moment|exp_avg|veloc|grad|slow", re.IGNORECASE)


class Network(NamedTuple):
    """Where in a file tensors have a ResNet-50's names, but for a prefix."""

    path: str
    prefix: str
    tensors: dict[str, Any]


def detect(tree: Any) -> spec.Layout:
    """Return the first layout by whose rules all names are those of a ResNet-50.

    Where none fits but one nearly does, it is that one: the conversion then lists what
    is missing and unknown.

    Args:
        tree: what `state_dict.read` found in a file that holds a whole network.

    Raises:
        CheckpointError: the file holds two networks (an average beside the weights,
            say), none of a known layout, or no dict.
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
    networks = list(_networks(tree))
    if strange[best] == 0:
        _refuse_others(found[best], networks)
    elif strange[best] > FEW and networks:
        raise errors.CheckpointError(_unknown(networks))
    return layouts.LAYOUTS[best]


def _try(tree: Any, layout: spec.Layout) -> state_dict.Entries | None:
    try:
        return state_dict.entries(tree, layout.backbone)
    except errors.CheckpointError:
        return None


def _refuse_others(chosen: state_dict.Entries, networks: list[Network]) -> None:
    taken = {id(value) for value in chosen.values.values()}
    dropped = set(chosen.dropped)

    def is_known(network: Network) -> bool:
        here = network.path == chosen.root
        return all(
            id(value) in taken or (here and network.prefix + name in dropped)
            for name, value in network.tensors.items()
        )

    others = [network.path for network in networks if not is_known(network)]
    if others:
        raise errors.CheckpointError(
            f"got several networks, at {chosen.root!r} and "
            f"{' and '.join(map(repr, others))} in the file; say which one: by its "
            "layout (name=layout:path), or by --root of python -m convert"
        )


def _unknown(networks: list[Network]) -> str:
    hints = [
        f"at {path!r} with the prefix {prefix!r} (--root={path} --rename='^"
        f"{re.escape(prefix)}=>')"
        for path, prefix, _ in networks
    ]
    return (
        f"got a network in none of the known layouts, {' or '.join(hints)}; tell "
        "python -m convert how to read it, and with --drop what may be left over"
    )


def _networks(tree: Any) -> Iterator[Network]:
    """Yield where networks are in a file, by the names of their tensors."""
    for path, node in _dicts(tree, "", DEPTH):
        prefixes: dict[str, dict[str, Any]] = {}
        for name, value in node.items():
            if isinstance(name, str) and not isinstance(value, dict | list):
                prefix, known = _split(name)
                prefixes.setdefault(prefix, {})[known] = value
        for prefix, tensors in prefixes.items():
            tensors = {name: tensors[name] for name in WANTED if name in tensors}
            if len(tensors) >= MANY:
                yield Network(path, prefix, tensors)


def _dicts(tree: Any, path: str, depth: int) -> Iterator[tuple[str, dict]]:
    """Yield the dicts in dicts and lists with their paths, but no optimizer's."""
    if depth == 0 or OPTIMIZER.search(path):
        return
    if isinstance(tree, dict):
        yield path, tree
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for name, value in pairs:
        if isinstance(value, dict | list):
            yield from _dicts(value, f"{path}.{name}" if path else f"{name}", depth - 1)


def _split(name: str) -> tuple[str, str]:
    """The prefix of a name, and the rest that begins as torchvision's do."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part in TOP), 0)
    return "".join(f"{part}." for part in parts[:first]), ".".join(parts[first:])
