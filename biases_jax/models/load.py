"""How does a model's name become `(apply, variables)`?"""

import dataclasses
import functools
import hashlib
import importlib
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from etils import epath

from biases_jax.models import checkpoints, resnet, zoo
from biases_jax.types import Apply, Variables

FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAME = re.compile(r"\w[\w.\-]*")  # a folder's name, of this folder


@dataclasses.dataclass(frozen=True)
class Reference:
    """A model as it was asked for; exactly one of `path` and `function` may be set.

    Neither: a row of the zoo. `path`: a PyTorch-format checkpoint file. `function`:
    'package.module:function', which returns `(apply, variables)`.
    """

    name: str
    path: str = ""
    function: str = ""


@dataclasses.dataclass(frozen=True)
class Loaded:
    """A model ready to be measured; `variables` are NumPy arrays."""

    name: str
    apply: Apply
    variables: Variables
    weights_sha256: str


def parse(models: Sequence[str]) -> list[Reference]:
    """Return the models that the strings name, each once, in order.

    Accepts zoo names and patterns ('tv_resnet50', 'resnet50.*'), 'name=path',
    'package.module:function' and 'name=package.module:function'.

    Raises:
        ValueError: a pattern matches nothing, or one name means two models.
    """
    references: dict[str, Reference] = {}
    for text in models:
        for reference in _parse_one(text):
            known = references.setdefault(reference.name, reference)
            if known != reference:
                raise ValueError(
                    f"got two models named {reference.name!r}: {known} and "
                    f"{reference}; give one of them another name (name=path)"
                )
    return list(references.values())


def _parse_one(text: str) -> list[Reference]:
    name, equals, target = text.partition("=")
    if not equals and not FUNCTION.fullmatch(text):
        return [Reference(known) for known in zoo.select((text,))]
    if not equals:
        return [Reference(text.replace(":", "."), function=text)]
    if not NAME.fullmatch(name) or not target:
        raise ValueError(
            f"got model {text!r}, expected name=path/to/checkpoint or "
            "name=package.module:function, with a name of letters, digits, '_-.'"
        )
    if FUNCTION.fullmatch(target):
        return [Reference(name, function=target)]
    return [Reference(name, path=target)]


def load(reference: Reference, folder: epath.PathLike, precision: str) -> Loaded:
    """Load a converted checkpoint from `folder/<name>`, or call the model's function.

    Raises:
        ValueError: the function is absent or returns something else.
    """
    if reference.function:
        return _call(reference)
    path = epath.Path(folder) / reference.name
    manifest = checkpoints.read_manifest(path)
    apply = resnet.apply_function(
        manifest["width"],
        manifest["num_classes"],
        manifest["stem_stride"],
        precision,
    )
    return Loaded(
        reference.name, apply, checkpoints.load(path), manifest["weights_sha256"]
    )


def weights_sha256(reference: Reference, folder: epath.PathLike) -> str:
    """Return the hash of the model's weights, without loading a converted one."""
    if reference.function:
        return _call(reference).weights_sha256
    manifest = checkpoints.read_manifest(epath.Path(folder) / reference.name)
    return manifest["weights_sha256"]


@functools.cache  # one `apply` object, hence one compilation, per model
def _call(reference: Reference) -> Loaded:
    module_name, _, function_name = reference.function.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"got model {reference.function!r}: {error}; run from its folder or put it "
            "on PYTHONPATH"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ValueError(
            f"got model {reference.function!r}, but {module_name} has no function "
            f"{function_name!r}"
        )
    result = function()
    if not (isinstance(result, tuple) and len(result) == 2 and callable(result[0])):
        raise ValueError(
            f"{reference.function} returned {type(result).__name__}, expected a pair "
            "(apply, variables) with apply(variables, images) -> logits"
        )
    apply, variables = result
    # The code is part of the model: another network on the same arrays is another
    # model.
    code = inspect.getsource(module).encode()
    return Loaded(reference.name, apply, variables, _hash(variables, code))


def _hash(variables: Mapping[str, Any], code: bytes) -> str:
    digest = hashlib.sha256(code)
    for path, leaf in jax.tree_util.tree_leaves_with_path(variables):
        array = np.ascontiguousarray(jax.device_get(leaf))
        digest.update(
            f"{jax.tree_util.keystr(path)}:{array.dtype}{array.shape}".encode()
        )
        digest.update(array.tobytes())
    return digest.hexdigest()
