"""What is a corruption? Bytes to bytes, by named draws and one of five severities."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Shaped

from biases_jax.corruptions import given
from biases_jax.corruptions.names import SEVERITIES
from biases_jax.transforms import TRACED
from biases_jax.types import Array, Float, PRNGKey, UInt8

Bytes = UInt8[Array, "h w 3"]  # RGB
Draws = dict[str, Any]  # named arrays, or scalars as arrays of no axes


@dataclasses.dataclass(frozen=True)
class Corruption:
    """A corruption of one severity, which is compiled in.

    Subclasses give `sample` and `corrupt`, pure functions of static shapes, and
    `parameters` where they have some.
    """

    severity: int

    def __post_init__(self):
        demand_severity(self.severity)

    def lacks(self) -> str:
        """Return why images cannot be made here, '' if they can."""
        return ""

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the arrays by which `corrupt` depends on the severity."""
        del shape
        return {}

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the draws for an image of h x w x 3, {} if there are none."""
        del key, shape
        return {}

    def drawn(self, shape: tuple[int, ...]) -> Draws:
        """Return the shapes and dtypes of what `sample` returns, without drawing."""
        return jax.eval_shape(lambda: self.sample(jax.random.key(0), shape))

    def corrupt(self, image: Bytes, draws: Draws, parameters: dict[str, Any]) -> Bytes:
        """Return the corrupted image, of these draws and `parameters`."""
        raise NotImplementedError(type(self).__name__)

    def apply(self, image: Shaped[Any, "..."], draws: Any) -> Bytes:
        """Return the corrupted image of these draws.

        Raises:
            ValueError: the image is not of bytes, [h, w, 3], or the draws have not the
                names, shapes and kinds of those from `sample`.
        """
        demand_bytes(image)
        given.demand(draws, _drawn(self, image.shape), type(self).__name__)
        return self.corrupt(jnp.asarray(image), draws, self.parameters(image.shape))

    def __call__(self, key: PRNGKey, image: Shaped[Any, "..."]) -> Bytes:
        """Return the corrupted image with draws from the key."""
        demand_bytes(image)
        draws = self.sample(key, image.shape)
        return self.corrupt(jnp.asarray(image), draws, self.parameters(image.shape))


@dataclasses.dataclass(frozen=True)
class Graded(Corruption):
    """A corruption that compiles once for all severities, and draws alike for them.

    Only `parameters` reads the severity.
    """

    severity: int = dataclasses.field(metadata=TRACED)


@functools.lru_cache
def _drawn(corruption, shape):
    """Return its `drawn`, which takes some milliseconds."""
    return corruption.drawn(shape)


def demand_severity(severity: Any) -> None:
    """Raise ValueError unless it is a whole number from 1 to 5."""
    if type(severity) is not int or severity not in SEVERITIES:
        raise ValueError(
            f"got severity {severity!r}, expected a whole number from 1 to 5"
        )


def demand_bytes(image: Any) -> None:
    """Raise ValueError unless it is an array of bytes, [h, w, 3]."""
    shape, dtype = getattr(image, "shape", None), getattr(image, "dtype", type(image))
    if dtype != np.uint8 or len(shape) != 3 or shape[2] != 3:
        raise ValueError(
            f"got an image of {dtype} and shape {shape}, expected RGB of uint8, "
            "0 to 255, and shape (height, width, 3)"
        )


def unit(image: Bytes) -> Float[Array, "h w 3"]:
    """Return the bytes as float32 in [0, 1]."""
    return image.astype(jnp.float32) / 255


def truncated(values: Float[Array, "h w 3"]) -> Bytes:
    """Return values of the range 0 to 255 as bytes, cut to it and rounded down.

    As the published images were made: not to the nearest.
    """
    return jnp.clip(values, 0, 255).astype(jnp.uint8)
