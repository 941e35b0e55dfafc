"""Which form of each layer is fast on this platform?"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from biases_jax.models import convolution, max_pool
from biases_jax.types import Array, Float

Images = Float[Array, "n h w c"]


@dataclasses.dataclass(frozen=True)
class Forms:
    """The forms in use; the defaults are XLA's own.

    `micro_batch` is the number of images that go through the network at a time
    (0: all), so that their activations stay in the cache.
    """

    stem: convolution.Form = convolution.direct
    conv1x1: convolution.Form = convolution.direct
    conv3x3: convolution.Form = convolution.direct
    relu: Callable[[Array], Array] = jax.nn.relu
    max_pool: Callable[[Images], Images] = max_pool.by_window
    micro_batch: int = 0


def conv3x3_on_cpu(
    x: Images,
    kernel: Float[Array, "3 3 c o"],
    stride: int,
    precision: lax.Precision,
) -> Float[Array, "n p q o"]:
    """Return a 3x3 convolution; outputs of 7x7 and less as one matrix product.

    There it is 1.2 times faster forward and 1.6 times for the input gradient; on
    larger outputs the gathered neighbourhoods do not fit the cache, and it is slower.
    """
    outputs = (x.shape[1] - 1) // stride + 1
    form = convolution.by_columns if outputs <= 7 else convolution.canonical
    return form(x, kernel, stride, precision)


@jax.custom_vjp
def relu_by_mask(x: Array) -> Array:
    """Return max(x, 0) and keep one byte an element for the gradient, 0 at 0.

    `jax.nn.relu` differentiated in a loop keeps five: the mask, and zeros in full
    size that are only folded away outside loops. Reverse mode only (no jvp).
    """
    return jnp.maximum(x, 0)


def _select(mask, gradient):
    return (jnp.where(mask, gradient, jnp.zeros((), gradient.dtype)),)


relu_by_mask.defvjp(lambda x: (jnp.maximum(x, 0), x > 0), _select)

PLAIN = Forms()
# Measured on one and two Zen 3 cores, jax 0.10 against PyTorch 2.13, by
# tests/speed/forward.py. XLA's gradient of max-pooling alone takes a quarter of the
# whole input gradient. Batch norms folded into kernels at run time cost 6 %.
CPU = Forms(
    stem=convolution.canonical,
    conv1x1=convolution.by_product,
    conv3x3=conv3x3_on_cpu,
    relu=relu_by_mask,
    max_pool=max_pool.by_phases,
    micro_batch=4,
)
BY_BACKEND = {"cpu": CPU}


def for_backend() -> Forms:
    """Return the forms for JAX's default backend."""
    return BY_BACKEND.get(jax.default_backend(), PLAIN)


def in_micro_batches(
    function: Callable[[Images], Array], images: Images, size: int
) -> Array:
    """Return function(images), computed for at most `size` images at a time.

    Steps are of equal size, the last filled up with zeros. `vmap` over single
    examples leaves nothing to split: each is a batch of one, and all go through the
    network together (the input gradient of 16 images takes 10 % longer on a CPU).
    `lax.map(..., batch_size=size)` over examples, in place of `vmap`, keeps
    micro-batches, and their speed.
    """
    count = images.shape[0]
    if not size or count <= size:
        return function(images)
    steps = -(-count // size)
    size = -(-count // steps)
    padded = jnp.pad(images, ((0, steps * size - count), (0, 0), (0, 0), (0, 0)))
    outputs = lax.map(function, padded.reshape(steps, size, *images.shape[1:]))
    return outputs.reshape(steps * size, *outputs.shape[2:])[:count]
