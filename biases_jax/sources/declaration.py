"""What does a small or private image set say that it holds?"""

import json
from typing import Any

from biases_jax.sources.files import Files
from biases_jax.sources.source import Counts, Source

FILE = "dataset.json"  # at a tree's root


def counts(source: Source, tree: Files) -> Counts | None:
    """Return the counts that a tree declares, None if it declares none.

    Raises:
        ValueError: the declaration is not as expected.
    """
    declared = read(tree)
    if not declared:
        return None
    wanted = {"source": str, "classes": int, "examples": int}
    if "per_class" in declared:
        wanted["per_class"] = int
    for key, kind in wanted.items():
        if not isinstance(declared.get(key), kind):
            raise ValueError(
                f"{tree.where}/{FILE}: got {key} = {declared.get(key)!r}, expected "
                f"{kind.__name__}; write for example "
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
