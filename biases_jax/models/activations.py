"""What does every stage of the network compute, and what is its input gradient?"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Float32, Int

from biases_jax.models import checkpoints, convolution, ops, resnet
from biases_jax.types import Variables

BLOCKS = tuple(
    f"layer{layer + 1}_{block}"
    for layer, blocks in enumerate(resnet.BLOCKS)
    for block in range(blocks)
)
# In the order in which they are computed. `normalized` is the network's input,
# `conv1` the stem's convolution and batch norm, `stem` that after ReLU and pooling.
STAGES = ("normalized", "conv1", "stem", *BLOCKS, "pooled", "logits")
PRECISIONS = ("float64", *resnet.PRECISIONS)
OWN = -1  # stands for a label: the class that the network itself decides for
IMAGES_PER_STEP = 4  # bounds the memory; also the micro-batch of evaluation on CPUs

Pixels = Float32[np.ndarray, "n h w 3"]  # RGB in [0, 1]
Labels = Int[np.ndarray, " n"]


class Answers(NamedTuple):
    """Stages by name, [n, h, w, c] or [n, c], and the gradient [n, h, w, 3].

    float64 or float32; bfloat16 is widened. The gradient is that of the summed
    cross-entropy with respect to pixels in [0, 1].
    """

    stages: dict[str, np.ndarray]
    gradient: np.ndarray


class Sizes(NamedTuple):
    """What tells one network of the family from another."""

    width: int
    num_classes: int
    stem_stride: int


def answers(
    tree: Mapping[str, Any],
    sizes: Sizes,
    images: Pixels,
    precision: str,
    labels: Labels | None = None,
) -> Answers:
    """Return all stages and the input gradient of a converted network.

    The layers have the forms in which evaluation computes them on this backend.

    Args:
        tree: unfolded variables, as `checkpoints.load_unfolded` gives them.
        sizes: of the network.
        images: RGB in [0, 1]; in float64 the very same values, widened.
        precision: of `PRECISIONS`; in float64 the batch norms are folded in it, too.
        labels: classes of the cross-entropy; None for the network's own decisions.

    Raises:
        ValueError: the precision is unknown.
    """
    if precision not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        raise ValueError(f"got precision {precision!r}, expected one of: {known}")
    double = precision == "float64"
    dtype = np.float64 if double else np.float32
    network = resnet.ResNet50(
        *sizes, "float32" if double else precision, ops.for_backend()
    )
    with jax.enable_x64(double):
        variables = jax.device_put(checkpoints.fold(tree, dtype))
        return by_steps(
            functools.partial(_compiled(network), variables),
            images.astype(dtype),
            labels,
        )


def by_steps(
    function: Callable[[Any, Any], tuple[dict[str, Any], Any]],
    pixels: np.ndarray,
    labels: Labels | None,
) -> Answers:
    """Return `function(pixels, labels)` of a few images at a time, on the host.

    `function` returns the stages and the gradient; the last step is filled up with
    black images, so that one compilation serves all.
    """
    count = len(pixels)
    size = min(count, IMAGES_PER_STEP)
    if labels is None:
        labels = np.full(count, OWN)
    steps = []
    for start in range(0, count, size):
        chosen = slice(start, start + size)
        fill = max(start + size - count, 0)
        batch = np.pad(pixels[chosen], ((0, fill), (0, 0), (0, 0), (0, 0)))
        classes = np.pad(labels[chosen], (0, fill)).astype(np.int32)
        steps.append(jax.device_get(function(batch, classes)))

    def joined(*parts):
        whole = np.concatenate(parts)[:count]
        return whole if whole.dtype == np.float64 else whole.astype(np.float32)

    stages, gradient = jax.tree.map(joined, *steps)
    return Answers({name: stages[name] for name in STAGES if name in stages}, gradient)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """Return the sum over images, in nats; `OWN` stands for the best class."""
    own = jnp.argmax(logits, axis=1).astype(labels.dtype)
    labels = jnp.where(labels == OWN, own, labels)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -chosen.sum()


@functools.cache  # probing costs a compilation
def has_float64() -> bool:
    """Return whether the default backend convolves in float64, and not in less."""
    value = 1 + 2.0**-40
    with jax.enable_x64(True):
        try:
            ones = np.ones((3, 3, 1, 1))
            image = np.full((1, 3, 3, 1), value)
            exact = functools.partial(
                convolution.direct, stride=1, precision=lax.Precision.HIGHEST
            )
            found = np.asarray(jax.jit(exact)(image, ones))[0, 1, 1, 0]
        except (RuntimeError, TypeError, ValueError):
            return False
    # Nine values near 1 lose 2^-50 at most; float32 would lose all of 2^-40.
    return bool(found.dtype == np.float64 and abs(found / 9 - value) < 2.0**-48)


@functools.cache
def _compiled(network: resnet.ResNet50) -> Callable:
    def loss(images, variables: Variables, labels):
        logits, kept = network.apply(
            variables,
            images,
            capture_intermediates=_is_stage,
            mutable=["intermediates"],
        )
        stages = {name: _value(kept["intermediates"][name]) for name in STAGES[:-1]}
        return cross_entropy(logits, labels), {**stages, "logits": logits}

    @jax.jit
    def both(variables, images, labels):
        gradient, stages = jax.grad(loss, has_aux=True)(images, variables, labels)
        return stages, gradient

    return both


def _is_stage(module: Any, method: str) -> bool:
    """Whether Flax is to keep what a method returns: stem and blocks, not their parts.

    Their parts have the same names: every block has a `conv1`.
    """
    return method == "__call__" and isinstance(module.parent, resnet.ResNet50)


def _value(kept: Any) -> Any:
    """Return what Flax kept of one call: sown, or captured from `__call__`."""
    return (kept["__call__"] if isinstance(kept, Mapping) else kept)[0]
