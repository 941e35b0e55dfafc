"""How are the images of a batch corrupted so that each stays in a processor's cache?"""

import functools
from collections.abc import Callable

import jax


def one_by_one(method: Callable) -> Callable:
    """Return a method of arrays which `jax.vmap` runs for one image after the other.

    On CPUs, that is. A batch's intermediate images, in float32, fit no cache there:
    filters are two to four times as fast in turn. Also the result cannot depend on the
    batch's size, which may change the last bits of a matrix product and, where those
    are cut off, bytes. Other devices are only busy with all images at once.
    """

    @functools.wraps(method)
    def method_of_one(self, *arrays):
        function = functools.partial(method, self)
        mappable = jax.custom_batching.custom_vmap(function)

        @mappable.def_vmap
        def mapped(axis_size, are_mapped, *arrays):
            del axis_size
            axes = tuple(jax.tree.map(lambda own: 0 if own else None, are_mapped))
            in_turn = jax.custom_batching.sequential_vmap(function)
            found = jax.lax.platform_dependent(
                *arrays,
                cpu=jax.vmap(in_turn, axes),
                default=jax.vmap(function, axes),
            )
            return found, jax.tree.map(lambda _: True, found)

        return mappable(*arrays)

    return method_of_one
