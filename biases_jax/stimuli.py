"""How do the images of a batch become stimuli, each condition's and no more twice?"""

import functools
import zlib
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from biases_jax import transforms
from biases_jax.benchmark import Benchmark
from biases_jax.sharding import Spread
from biases_jax.types import Transform

PRNG = "threefry2x32"  # counter-based: the same bits on every platform


class Stimuli:
    """The stimuli of one batch, which lies on the devices.

    What benchmarks share, their preparation under one noise stream, is kept until a
    benchmark asks for another: memory does not grow with the number of conditions.

    Args:
        key: data of the seed's key, replicated.
        images: float32 in [0, 1], [b, h, w, 3], split along axis 0.
        ids: of the examples, split likewise.
        spread: over the devices.
    """

    def __init__(self, key: Any, images: Any, ids: Any, spread: Spread):
        self._key, self._images, self._ids = key, images, ids
        self._spread = spread
        self._kept: tuple[Any, Any] = (None, None)

    def of(self, benchmark: Benchmark) -> Any:
        """Return a benchmark's stimuli.

        An example's noise is a function of the seed, the benchmark's stream and the
        example's id only.
        """
        transform, spread = benchmark.transform, self._spread
        stream = spread.replicate(np.uint32(zlib.crc32(benchmark.stream.encode())))
        if not isinstance(transform, transforms.Traced):
            return self._through(transform, stream, self._images)
        prepared = self._prepared(transform.preparation, benchmark.stream, stream)
        parameters = spread.replicate(transform.parameters(self._images.shape[-3:]))
        apply = _applied(transforms.compiled_part(transform), spread)
        shown = apply(self._key, stream, parameters, prepared, self._ids)
        return self._through(transform.finishing, stream, shown)

    def _prepared(self, preparation, name: str, stream) -> Any:
        if isinstance(preparation, transforms.Identity):
            return self._images
        if self._kept[0] != (preparation, name):
            self._kept = (None, None)  # frees it before the next one takes its place
            found = self._through(preparation, stream, self._images)
            self._kept = ((preparation, name), found)
        return self._kept[1]

    def _through(self, transform, stream, images) -> Any:
        if isinstance(transform, transforms.Identity):
            return images
        changed = _changed(transform, self._spread)
        return changed(self._key, stream, images, self._ids)


@functools.cache
def _changed(transform: Transform | Callable, spread: Spread):
    """Return the program that changes images by a transform, or prepares them."""

    def all_of_device(seed_key, stream, images, ids):
        return jax.vmap(transform)(_keys(seed_key, stream, ids), images)

    return spread.per_device(all_of_device, (False, False, True, True))


@functools.cache
def _applied(transform: transforms.Traced, spread: Spread):
    """Return the program of a transform whose conditions differ in parameters."""

    def all_of_device(seed_key, stream, parameters, prepared, ids):
        keys = _keys(seed_key, stream, ids)
        return jax.vmap(transform.apply, (0, 0, None))(prepared, keys, parameters)

    return spread.per_device(all_of_device, (False, False, False, True, True))


def _keys(seed_key, stream, ids):
    return jax.vmap(functools.partial(example_key, seed_key, stream))(ids)


def example_key(seed_key: Any, stream: Any, example_id: Any) -> Any:
    """Return the key of an example's noise: of key data, a stream and two words."""
    key = jax.random.wrap_key_data(seed_key, impl=PRNG)
    for word in (stream, example_id[0], example_id[1]):
        key = jax.random.fold_in(key, word)
    return key
