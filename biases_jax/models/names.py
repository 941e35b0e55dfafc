"""Which model does a name on the command line mean?"""

import dataclasses
import re
from collections.abc import Sequence

from biases_jax.models import layouts, zoo

FUNCTION = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
NAME = re.compile(r"\w[\w.\-]*")  # a folder's name, of this folder


@dataclasses.dataclass(frozen=True)
class Reference:
    """A model as it was asked for; exactly one of `path` and `function` may be set.

    Neither: a row of the zoo. `path`: a PyTorch-format checkpoint file, or a folder
    with `backbone.*` and `head.*`, in the `layout` of this name if one is told.
    `function`: 'package.module:function', which returns `(apply, variables)`.
    """

    name: str
    path: str = ""
    function: str = ""
    layout: str = ""


def parse(models: Sequence[str]) -> list[Reference]:
    """Return the models that the strings name, each once, in order.

    Accepts zoo names and patterns ('tv_resnet50', 'resnet50.*'), 'name=path',
    'name=layout:path' (`layouts.LAYOUTS`), 'package.module:function' and
    'name=package.module:function'.

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
            f"got model {text!r}, expected name=path/to/checkpoint, "
            "name=layout:path or name=package.module:function, with a name of letters, "
            "digits, '_-.'"
        )
    layout, colon, path = target.partition(":")
    if colon and layout in layouts.LAYOUTS:
        if name in zoo.MODELS or not path:
            raise ValueError(
                f"got model {text!r}, expected name=layout:path of a model of your "
                "own; the layout of a published model is known"
            )
        return [Reference(name, path=path, layout=layout)]
    if FUNCTION.fullmatch(target) and name in zoo.MODELS:
        raise ValueError(
            f"got a function named {name!r} like a published model; give it another "
            "name"
        )
    if FUNCTION.fullmatch(target):
        return [Reference(name, function=target)]
    return [Reference(name, path=target)]
