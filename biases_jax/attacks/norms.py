"""What is a ball around an image, and which way is up in it?"""

import dataclasses
import math
from collections.abc import Callable
from typing import Literal

import jax
import jax.numpy as jnp

from biases_jax.types import Array, Float, PRNGKey

Name = Literal["linf", "l2"]
Size = float | Float[Array, ""]  # in units of [0, 1]; an array may be traced
Images = Float[Array, "*b h w 3"]
TINY = 1e-12  # the least length that is divided by, as in foolbox 3.3.4
PIXELS = (-3, -2, -1)


@dataclasses.dataclass(frozen=True)
class Norm:
    """A norm of differences of images; every example has its own ball.

    `length(delta)` is `[*b]`. `project(delta, radius)` is the nearest difference of
    at most that length. `ascent(gradient)` is the difference of length 1 that raises
    a linear loss most (0 where the gradient is 0). `unit_noise(key, shape)` is
    uniform in the ball of radius 1, in float32.
    """

    length: Callable[[Images], Float[Array, "*b"]]
    project: Callable[[Images, Float[Array, ""]], Images]
    ascent: Callable[[Images], Images]
    unit_noise: Callable[[PRNGKey, tuple[int, ...]], Images]

    def inside(self, x: Images, image: Images, radius: Float[Array, ""]) -> Images:
        """Return `x` moved into the ball around `image`, and then into [0, 1]."""
        return jnp.clip(image + self.project(x - image, radius), 0, 1)

    def on_surface(self, delta: Images) -> Images:
        """Return the difference of length 1 in the direction of `delta` (0 of 0)."""
        length = jnp.maximum(self.length(delta), TINY)
        return delta / length[..., None, None, None]


def _largest(delta: Images) -> Float[Array, "*b"]:
    return jnp.abs(delta).max(PIXELS)


def _clip(delta: Images, radius: Float[Array, ""]) -> Images:
    return jnp.clip(delta, -radius, radius)


def _uniform(key: PRNGKey, shape: tuple[int, ...]) -> Images:
    return jax.random.uniform(key, shape, jnp.float32, -1, 1)


def _euclidean(delta: Images) -> Float[Array, "*b"]:
    return jnp.sqrt((delta**2).sum(PIXELS))


def _shrink(delta: Images, radius: Float[Array, ""]) -> Images:
    factor = jnp.minimum(1, radius / jnp.maximum(_euclidean(delta), TINY))
    return delta * factor[..., None, None, None]


def _normalize(gradient: Images) -> Images:
    length = jnp.maximum(_euclidean(gradient), TINY)
    return gradient / length[..., None, None, None]


def _in_unit_ball(key: PRNGKey, shape: tuple[int, ...]) -> Images:
    # The first n of n + 2 coordinates of a point on the unit sphere are uniform in
    # the ball of n dimensions (Voelker et al. 2017), as foolbox draws them.
    count = math.prod(shape[-3:])
    normal = jax.random.normal(key, (*shape[:-3], count + 2), jnp.float32)
    length = jnp.sqrt((normal**2).sum(-1, keepdims=True))
    return (normal / length)[..., :count].reshape(shape)


BY_NAME: dict[Name, Norm] = {
    "linf": Norm(_largest, _clip, jnp.sign, _uniform),
    "l2": Norm(_euclidean, _shrink, _normalize, _in_unit_ball),
}


def demand_sizes(norm: str, **sizes: Size) -> None:
    """Refuse sizes that are no lengths in images of [0, 1].

    Raises:
        ValueError: an unknown norm, or a negative or infinite size.
    """
    if norm not in BY_NAME:
        raise ValueError(f"got norm {norm!r}, expected one of {sorted(BY_NAME)}")
    for name, size in sizes.items():
        if isinstance(size, int | float) and not 0 <= size < math.inf:
            raise ValueError(
                f"got {name}={size}, expected a finite number of at least 0, in units "
                "of images in [0, 1] (4/255, not 4)"
            )
