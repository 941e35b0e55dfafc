"""How are as many random numbers as an image has values drawn quickly on CPUs?

`jax.random` runs the rounds of its generator as a loop there, which goes through memory
at each, and keeps one of the two words that a block gives. These are the same blocks,
with the rounds in one pass and both words: a tenth of the time.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import UInt16

from biases_jax.types import Array, Float, PRNGKey, UInt32

# Threefry-2x32 with 20 rounds; Salmon et al. (2011), Parallel Random Numbers: As Easy
# as 1, 2, 3.
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def words(key: PRNGKey, shape: tuple[int, ...]) -> UInt32[Array, "..."]:
    """Return independent words of 32 random bits.

    Of `jax.random`'s default generator with a 64-bit counter; the key's generator is
    Threefry too, since others have keys of another form.
    """
    count = math.prod(shape)
    low = lax.iota(jnp.uint32, -(-count // 2))
    blocks = threefry(jax.random.key_data(key), jnp.zeros_like(low), low)
    return jnp.concatenate(blocks)[:count].reshape(shape)


def threefry(
    key: UInt32[Array, "2"], high: UInt32[Array, " n"], low: UInt32[Array, " n"]
) -> tuple[UInt32[Array, " n"], UInt32[Array, " n"]]:
    """Return the two words of each block, given the words of the counter."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(PARITY))
    x, y = high + keys[0], low + keys[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x = x + y
            y = x ^ (y << np.uint32(rotation) | y >> np.uint32(32 - rotation))
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def halfwords(key: PRNGKey, shape: tuple[int, ...]) -> UInt16[Array, "..."]:
    """Return independent words of 16 random bits."""
    count = math.prod(shape)
    pairs = lax.bitcast_convert_type(words(key, (-(-count // 2),)), jnp.uint16)
    return pairs.reshape(-1)[:count].reshape(shape)


def uniform(key: PRNGKey, shape: tuple[int, ...]) -> Float[Array, "..."]:
    """Return independent float32 in [0, 1), multiples of 2^-24."""
    high = (words(key, shape) >> np.uint32(8)).astype(jnp.int32)
    return high.astype(jnp.float32) * np.float32(2**-24)


def normal(key: PRNGKey, shape: tuple[int, ...]) -> Float[Array, "..."]:
    """Return independent standard normal float32.

    By the inverse of the distribution function, of uniform numbers that lie in (-1, 1)
    symmetrically: none is beyond 5.4 deviations.
    """
    centred = 2 * uniform(key, shape) - np.float32(1 - 2**-24)
    return np.float32(2**0.5) * lax.erf_inv(centred)
