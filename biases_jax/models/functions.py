"""How does a Python function become a model, and what identifies it?"""

import functools
import hashlib
import importlib
import pathlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import jax
import numpy as np

from biases_jax.types import Apply, Variables

# Whatever a user's code may raise, but for an interrupt: such a model costs its own
# row, not those of others, so nothing narrower will do at this border.
FAILURES = (Exception, SystemExit)


class ModelError(Exception):
    """A model cannot be used; the message says which and why."""


@functools.cache  # one `apply` object, hence one compilation, per model
def call(function: str) -> tuple[Apply, Variables]:
    """Return what 'package.module:function' returns, `(apply, variables)`.

    Raises:
        ModelError: it is absent, fails, or returns something else.
    """
    module_name, _, name = function.partition(":")
    try:
        made = getattr(importlib.import_module(module_name), name)()
    except FAILURES as error:
        raise ModelError(
            f"{function}: {type(error).__name__}: {error}; expected a function without "
            "arguments in a module that Python finds (put its folder on PYTHONPATH)"
        ) from error
    if not (isinstance(made, tuple) and len(made) == 2 and callable(made[0])):
        raise ModelError(
            f"{function}: got a {type(made).__name__}, expected a pair (apply, "
            "variables) with apply(variables, images) -> logits"
        )
    return made


def identity(function: str) -> str:
    """Return a hash of the function's name, its package's code and its variables.

    All Python files of the top-level package count, since a network may be put
    together from several: editing any of them makes another model. Code of other
    packages does not.

    Raises:
        ModelError: as `call`.
    """
    _, variables = call(function)
    digest = hashlib.sha256(function.encode())
    module = sys.modules[function.partition(":")[0].partition(".")[0]]
    for file in _files(module):
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    _add(digest, variables)
    return digest.hexdigest()


def _files(package: ModuleType) -> list[pathlib.Path]:
    """Return the Python files of a package, or of a module that is a single file."""
    folders = [pathlib.Path(folder) for folder in getattr(package, "__path__", ())]
    found = [file for folder in folders for file in folder.rglob("*.py")]
    if not folders and package.__file__:
        found = [pathlib.Path(package.__file__)]
    return sorted(found)


def _add(digest: Any, variables: Mapping[str, Any]) -> None:
    for path, leaf in jax.tree_util.tree_leaves_with_path(variables):
        array = np.ascontiguousarray(jax.device_get(leaf))
        name = jax.tree_util.keystr(path)
        digest.update(f"{name}:{array.dtype}{array.shape}".encode())
        digest.update(array.tobytes())
