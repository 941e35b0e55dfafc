"""What does a small or private image set say that it holds?"""

import json
from typing import Any

from biases_jax.sources.files import Files
from biases_jax.sources.source import Counts, Source

FILE = "dataset.json"  # at a tree's root


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0  # True would pass as 1


def _is_text(value: object) -> bool:
    return isinstance(value, str)


_KEYS = {  # what each must be, and whether it is
    "source": ("str", _is_text),
    "classes": ("int above 0", _is_count),
    "examples": ("int above 0", _is_count),
    "per_class": ("int above 0", _is_count),
    "drawn": ("str", _is_text),  # by which arguments a drawn set was made
}
_OPTIONAL = ("per_class", "drawn")


def is_drawn(tree: Files) -> bool:
    """Return whether a tree says that its images are drawn, not photographs.

    Raises:
        ValueError: its declaration is no JSON object.
    """
    return "drawn" in read(tree)


def counts(source: Source, tree: Files) -> Counts | None:
    """Return the counts that a tree declares, None if it declares none.

    Raises:
        ValueError: the declaration is not as expected.
    """
    declared = read(tree)
    if not declared:
        return None
    wrong = [
        f"{key} = {declared.get(key)!r}, expected {what}"
        for key, (what, right) in _KEYS.items()
        if (key in declared or key not in _OPTIONAL) and not right(declared.get(key))
    ]
    wrong += [
        f"the unknown key {key!r}, expected one of {', '.join(_KEYS)}"
        for key in declared
        if key not in _KEYS
    ]
    if wrong:
        raise ValueError(
            f"{tree.where}/{FILE}: got {wrong[0]}; write for example "
            f'{{"source": "{source.name}", "classes": 5, "examples": 24}}'
        )
    return Counts(declared["classes"], declared["examples"], declared.get("per_class"))


def read(tree: Files) -> dict[str, Any]:
    """Return the declaration at a tree's root, empty if there is none.

    Raises:
        ValueError: it is no JSON object.
    """
    if FILE not in tree.names():
        return {}
    where = f"{tree.where}/{FILE}"
    try:
        declared = json.loads(tree.read(FILE).decode())
    except (ValueError, RecursionError) as error:  # no JSON, or no text at all
        raise ValueError(
            f"{where}: not JSON ({error}); correct or remove it"
        ) from error
    if not isinstance(declared, dict):
        raise ValueError(f"{where}: got {declared!r}, expected a JSON object")
    return declared
