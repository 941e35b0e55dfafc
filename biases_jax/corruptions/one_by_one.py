"""How are the images of a batch corrupted so that each stays in a processor's cache?"""

import functools
from collections.abc import Callable

import jax


def one_by_one(method: Callable) -> Callable:
    """Return a method of arrays which `jax.vmap` runs for one image after the other.

    A batch's intermediate images, in float32, fit no cache: on a CPU, filters are two
    to four times as fast in turn. Also the result cannot depend on the batch's size,
    which may change the last bits of a matrix product and, where those are cut off,
    bytes.
    """

    @functools.wraps(method)
    def method_in_turn(self, *arrays):
        in_turn = jax.custom_batching.sequential_vmap(functools.partial(method, self))
        return in_turn(*arrays)

    return method_in_turn
