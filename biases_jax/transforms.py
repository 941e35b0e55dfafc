"""How does a benchmark change an image, without compiling once per condition?"""

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from biases_jax.types import Image, PRNGKey

TRACED = {"traced": True}  # metadata of a field that reaches compiled code as an array


@dataclasses.dataclass(frozen=True)
class Identity:
    """The image as it is."""

    def __call__(self, key: PRNGKey, image: Image) -> Image:
        """Return the image."""
        del key
        return image


@dataclasses.dataclass(frozen=True)
class Traced:
    """A transform that compiles once for a whole grid of conditions.

    Fields with `metadata=TRACED` only enter through `parameters`, which runs on the
    host in float64; `apply` sees their arrays. All other fields are compiled in.

    `preparation` is what all conditions of a family share for one image: benchmarks
    with equal ones and one noise stream, one after the other, have it computed once.
    It is a transform whose result may be any tree of arrays. `finishing` is a transform
    of what `apply` returns, and makes the stimulus of it: where it takes long to
    compile, all transforms that share it share one program.
    """

    @property
    def preparation(self) -> Callable[[PRNGKey, Image], Any]:
        """Return what turns an image into the first argument of `apply`."""
        return Identity()

    @property
    def finishing(self) -> Callable[[PRNGKey, Any], Image]:
        """Return what turns the result of `apply` into the stimulus."""
        return Identity()

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the arrays that `apply` needs for an image of this shape."""
        del shape
        return {
            name: np.asarray(getattr(self, name), np.float32)
            for name in traced_fields(self)
        }

    def apply(self, prepared: Any, key: PRNGKey, parameters: dict[str, Any]) -> Any:
        """Return the stimulus, given the prepared image and the traced parameters.

        Unfinished, if there is `finishing`.
        """
        raise NotImplementedError(type(self).__name__)

    def __call__(self, key: PRNGKey, image: Image) -> Image:
        """Return the stimulus."""
        prepared = self.preparation(key, image)
        shown = self.apply(prepared, key, self.parameters(image.shape))
        return self.finishing(key, shown)


def traced_fields(transform: Any) -> tuple[str, ...]:
    """Return the names of the fields that do not force a new compilation."""
    return tuple(
        field.name
        for field in dataclasses.fields(transform)
        if field.metadata.get("traced")
    )


def compiled_part(transform: Any) -> Any:
    """Return the transform without its traced fields: the key of a compilation.

    They become None, so that code which reads one past `parameters` fails at once.
    Fields that are dataclasses themselves lose theirs, too.
    """
    template = copy.copy(transform)  # no constructor, whose checks None would not pass
    traced = traced_fields(transform)
    for field in dataclasses.fields(transform):
        value = getattr(transform, field.name)
        if field.name in traced:
            object.__setattr__(template, field.name, None)
        elif dataclasses.is_dataclass(value):
            object.__setattr__(template, field.name, compiled_part(value))
    return template
