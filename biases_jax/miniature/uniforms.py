"""Where do a scene's random numbers come from? One draw, handed out in order."""

import math

import jax
import jax.numpy as jnp

from biases_jax.types import Array, Bool, Float, PRNGKey


class Uniforms:
    """Uniform numbers in [0, 1) of one key.

    One draw of all of them compiles ten times faster than many small ones.
    """

    def __init__(self, key: PRNGKey, count: int):
        """Draw `count` numbers."""
        self._numbers = jax.random.uniform(key, (count,))
        self._used = 0

    def between(
        self, low: float | Array, high: float | Array, *shape: int
    ) -> Float[Array, "..."]:
        """Return numbers between two bounds, an array of this shape.

        Raises:
            ValueError: there are not so many left.
        """
        start, self._used = self._used, self._used + math.prod(shape)
        if self._used > self._numbers.size:
            raise ValueError(
                f"got a scene of {self._used} numbers or more, expected at most "
                f"{self._numbers.size}; draw more of them"
            )
        numbers = self._numbers[start : self._used].reshape(shape)
        low, span = (jnp.broadcast_to(value, shape) for value in (low, high - low))
        return low + span * numbers

    def around(self, spread: float | Array, *shape: int) -> Float[Array, "..."]:
        """Return numbers in [-spread, spread)."""
        return self.between(-spread, spread, *shape)

    def chance(self, share: float | Array, *shape: int) -> Bool[Array, "..."]:
        """Return what is true in this share of the draws."""
        return self.between(0.0, 1.0, *shape) < share

    def below(self, count: int) -> Array:
        """Return an integer, 0 to count - 1."""
        # Rounding may give `count` itself.
        return jnp.minimum(self.between(0.0, float(count)).astype(jnp.int32), count - 1)
