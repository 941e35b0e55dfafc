"""What did one framework answer in one precision, and how little of it is kept?"""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from biases_jax.models import activations

GRADIENT = "gradient"  # is kept and compared like a stage
NAMES = (*activations.STAGES, GRADIENT)
KEPT = 8192  # values of a stage and image in an archive, at most
# From exact to coarse: two runs are as near as the coarser one allows.
PRECISIONS = ("float64", "float32", "tf32", "bfloat16")


class Values(NamedTuple):
    """Every `stride`-th value of a stage: [n, kept] of `size` values per image.

    In full they lie [h, w, channels], so that value i is of channel i modulo channels.
    """

    array: np.ndarray
    size: int
    channels: int
    stride: int = 1

    def thinned(self, stride: int) -> "Values":
        """Return every `stride`-th value of those that are in full.

        Raises:
            ValueError: they are not in full, nor thinned by that stride already.
        """
        if stride == self.stride:
            return self
        if self.stride != 1:
            raise ValueError(
                f"got every {self.stride}th value of a stage, expected all or every "
                f"{stride}th"
            )
        return self._replace(array=self.array[:, ::stride], stride=stride)

    @property
    def channel(self) -> np.ndarray:
        """The channel of each kept value."""
        return np.arange(0, self.size, self.stride) % self.channels


@dataclasses.dataclass(frozen=True)
class Run:
    """The values of some of `NAMES`, in order; `about` says who computed them where.

    A model that is a function has logits and gradient only.
    """

    framework: str
    precision: str
    values: Mapping[str, Values]
    about: Mapping[str, Any]

    @property
    def title(self) -> str:
        """Framework and precision."""
        return f"{self.framework} {self.precision}"


def of(
    answers: activations.Answers, framework: str, precision: str, about: Mapping
) -> Run:
    """Return a run that holds all values."""
    arrays = {**answers.stages, GRADIENT: answers.gradient}
    values = {
        name: Values(
            array.reshape(len(array), -1), math.prod(array.shape[1:]), array.shape[-1]
        )
        for name, array in arrays.items()
    }
    return Run(framework, precision, values, about)


def thinned(run: Run) -> Run:
    """Return a run with at most `KEPT` values of each stage and image."""
    values = {
        name: values.thinned(stride(values.size)) for name, values in run.values.items()
    }
    return dataclasses.replace(run, values=values)


def stride(size: int) -> int:
    """Return the stride that keeps at most `KEPT` of `size` values.

    It has no factor in common with the size, so that no channel, row or column is
    left out, or seen alone.
    """
    least = -(-size // KEPT)
    return next(s for s in range(least, size + 2) if math.gcd(s, size) == 1)


def decisions(run: Run) -> np.ndarray:
    """Return the class of each image with the largest logit, int64 [n]."""
    return run.values["logits"].array.argmax(axis=1)


def coarser(a: str, b: str) -> str:
    """Return the coarser of two precisions."""
    return max(a, b, key=PRECISIONS.index)
