"""Which tensors of a file are the network's weights, and by which names?"""

import mmap
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from biases_jax.models import spec
from convert import (
    errors,
    safetensors_file,
    sniff,
    stand_ins,
    tensors,
    torch_legacy,
    torch_zip,
)


class Checkpoint(NamedTuple):
    """What a file holds: `tree` of dicts, lists, plain values and tensors.

    `placeholders` names the classes and functions that were not looked up;
    `metadata` is that of .safetensors files.
    """

    tree: Any
    placeholders: tuple[str, ...]
    container: str
    metadata: Mapping[str, str]


def read(path: pathlib.Path) -> Checkpoint:
    """Read a checkpoint, by its first bytes and not by its name. Runs nothing in it.

    Tensors take no more memory than the file, whose size is limited
    (`sniff.MAX_BYTES`); for the limits of what describes them see `opcodes`, `tensors`
    and `torch_zip`.

    Raises:
        CheckpointError: the file is no checkpoint, is broken or is not safe to read.
    """
    size = path.stat().st_size
    if not 0 < size <= sniff.MAX_BYTES:
        raise errors.CheckpointError(f"{path}: got {size} bytes; {sniff.EXPECTED}")
    with path.open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return _reader(content[: sniff.START])(path, content)
    except errors.CheckpointError as error:
        raise errors.CheckpointError(f"{path}: {error}") from error


class Entries(NamedTuple):
    """Some of a file's entries by their new names, as the file holds them.

    `paths` are their full names in the file, `root` is the state dict's, `dropped` are
    the names that were left out, `faults` the keys that are no names or became equal.
    """

    values: dict[str, Any]
    paths: dict[str, str]
    root: str
    dropped: list[str]
    faults: list[str]


def entries(tree: Any, rules: spec.Rules) -> Entries:
    """Return the entries that rules select, whatever they are.

    Args:
        tree: what `read` found; any nested dicts will do.
        rules: where the state dict is, what to rename and what to leave out.

    Raises:
        CheckpointError: there is no such root.
    """
    root, node = _at(tree, rules.roots)
    found = Entries({}, {}, root, [], [])
    for name, value in node.items():
        if not isinstance(name, str):
            found.faults.append(f"a key that is {_kind(name)}, no name")
            continue
        path = f"{root}.{name}" if root else name
        for pattern, replacement in rules.rename:
            name = re.sub(pattern, replacement, name)
        if any(re.search(pattern, name) for pattern in rules.drop):
            found.dropped.append(name)
        elif name in found.values:
            found.faults.append(f"{path} is a second {name}")
        else:
            found.values[name] = value
            found.paths[name] = path
    return found


def select(
    tree: Any, rules: spec.Rules = spec.PLAIN
) -> tuple[dict[str, np.ndarray], Entries]:
    """Return the weights that rules select, and the entries from which they were made.

    Raises:
        CheckpointError: there is no such root; or lists all entries that are no
            tensors, tensors that cannot be read, and names that became equal.
    """
    found = entries(tree, rules)
    weights: dict[str, np.ndarray] = {}
    faults = list(found.faults)
    for name, value in found.values.items():
        try:
            weights[name] = _array(value)
        except errors.CheckpointError as error:
            faults.append(f"{found.paths[name]}: {error}")
    if faults:
        raise errors.CheckpointError(
            f"got entries of {found.root or 'the file'!r} that are no weights: "
            + "; ".join(faults)
            + ". State where the weights are (root), and what may be left over (drop)"
        )
    return weights, found


def _reader(start: bytes) -> Callable[[pathlib.Path, mmap.mmap], Checkpoint]:
    readers = {
        sniff.ZIP: _read_zip,
        sniff.LEGACY: _read_legacy,
        sniff.SAFETENSORS: _read_safetensors,
    }
    return readers[sniff.container(start)]


def _read_zip(path: pathlib.Path, content: mmap.mmap) -> Checkpoint:
    tree, placeholders = torch_zip.read(path, content)
    return Checkpoint(tree, tuple(sorted(placeholders)), sniff.ZIP, {})


def _read_legacy(path: pathlib.Path, content: mmap.mmap) -> Checkpoint:
    tree, placeholders = torch_legacy.read(content)
    return Checkpoint(tree, tuple(sorted(placeholders)), sniff.LEGACY, {})


def _read_safetensors(path: pathlib.Path, content: mmap.mmap) -> Checkpoint:
    tree, metadata = safetensors_file.read(path)
    return Checkpoint(tree, (), sniff.SAFETENSORS, metadata)


def _at(tree: Any, roots: Sequence[str]) -> tuple[str, Mapping[Any, Any]]:
    """The first root that is a dict, and that dict."""
    for root in roots:
        node = tree
        for key in root.split(".") if root else ():
            node = node.get(key) if isinstance(node, dict) else None
        if isinstance(node, dict):
            return root, node
    known = ", ".join(_entries(tree)) if isinstance(tree, dict) else _kind(tree)
    raise errors.CheckpointError(
        f"got no dict at {' or '.join(map(repr, roots))}, expected a state dict; the "
        f"file holds {known}"
    )


def _entries(tree: dict) -> list[str]:
    names = [name for name in tree if isinstance(name, str)][:30]
    return [f"{name:.60} ({_kind(tree[name])})" for name in names]


def _array(value: Any) -> np.ndarray:
    if isinstance(value, tensors.Tensor):
        return value.array()
    if isinstance(value, np.ndarray):
        return value
    raise errors.CheckpointError(f"got {_kind(value)}, expected a tensor")


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, stand_ins.Placeholder):
        return f"an unknown object {value.origin}"
    if isinstance(value, type) and issubclass(value, stand_ins.Placeholder):
        return f"the unknown name {value.origin}"
    return "nothing" if value is None else f"a {type(value).__name__}"
