"""Which PyTorch tensor becomes which leaf of the Flax tree?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

from biases_jax.models import resnet

COUNTER = "num_batches_tracked"  # of training only; older PyTorch wrote none

# PyTorch's axes in Flax's order, by rank: OIHW to HWIO, (out, in) to (in, out).
AXES = {4: (2, 3, 1, 0), 2: (1, 0), 1: (0,)}
# A batch norm's tensors: name in PyTorch, collection and name in Flax.
NORM = (
    ("weight", "params", "scale"),
    ("bias", "params", "bias"),
    ("running_mean", "batch_stats", "mean"),
    ("running_var", "batch_stats", "var"),
)
# Half precision is widened, which is exact; wider types are kept as they are.
STORED = {
    np.dtype(np.float16): np.float32,
    np.dtype(ml_dtypes.bfloat16): np.float32,
    np.dtype(np.float32): np.float32,
    np.dtype(np.float64): np.float64,
}


class Leaf(NamedTuple):
    """Where a tensor goes in the unfolded tree, and its shape in PyTorch."""

    path: tuple[str, ...]
    shape: tuple[int, ...]


def to_flax(
    state: Mapping[str, np.ndarray], mean: Sequence[float], std: Sequence[float]
) -> dict[str, Any]:
    """Return the unfolded variables of a ResNet-50 v1.5, all 267 leaves or an error.

    Args:
        state: torchvision's names to arrays, of any width and number of classes. The
            `num_batches_tracked` of its batch norms are dropped if they are there.
        mean: of the three channels, for images in [0, 1].
        std: likewise.

    Returns:
        `{'params', 'batch_stats', 'normalize'}`, nested dicts of NumPy arrays, float32
        (float64 where the tensor was). No value is rounded.

    Raises:
        ValueError: lists every missing, unknown, misshapen and unusable tensor.
    """
    table = leaves(*_sizes(state))
    _check(state, table)
    tree: dict[str, Any] = {}
    for name, leaf in table.items():
        array = state[name].transpose(AXES[len(leaf.shape)])
        # A copy even where none is needed: a view would keep the whole file mapped.
        array = np.array(array, STORED[array.dtype], order="C")
        *parents, last = leaf.path
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = array
    tree["normalize"] = {
        "mean": np.asarray(mean, np.float32),
        "std": np.asarray(std, np.float32),
    }
    return tree


def leaves(width: int = 64, num_classes: int = 1000) -> dict[str, Leaf]:
    """Return the 267 tensors of a ResNet-50, in PyTorch's order.

    Args:
        width: channels of the stem.
        num_classes: rows of `fc.weight`.
    """
    return dict(_leaves(width, num_classes))


def strangers(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which names a ResNet-50 has beyond these, and which it does not have.

    The counters of its batch norms may be there or not.
    """
    names, table = set(names), leaves()
    counters = {
        name.removesuffix("running_mean") + COUNTER
        for name in table
        if name.endswith("running_mean")
    }
    missing = [name for name in table if name not in names]
    return missing, sorted(names - set(table) - counters)


def _leaves(width: int, num_classes: int) -> Iterator[tuple[str, Leaf]]:
    yield "conv1.weight", Leaf(("params", "conv1", "kernel"), (width, 3, 7, 7))
    yield from _norm("bn1", ("bn1",), width)
    inputs = width
    for layer, blocks in enumerate(resnet.BLOCKS):
        planes = width * 2**layer
        for block in range(blocks):
            yield from _block(f"layer{layer + 1}", block, inputs, planes)
            inputs = resnet.EXPANSION * planes
    fc = ("params", "fc")
    yield "fc.weight", Leaf((*fc, "kernel"), (num_classes, inputs))
    yield "fc.bias", Leaf((*fc, "bias"), (num_classes,))


def _block(
    layer: str, block: int, inputs: int, planes: int
) -> Iterator[tuple[str, Leaf]]:
    torch, flax = f"{layer}.{block}", f"{layer}_{block}"
    outputs = resnet.EXPANSION * planes
    table = [
        ("conv1", "conv1", "bn1", "bn1", (planes, inputs, 1, 1)),
        ("conv2", "conv2", "bn2", "bn2", (planes, planes, 3, 3)),
        ("conv3", "conv3", "bn3", "bn3", (outputs, planes, 1, 1)),
    ]
    if block == 0:
        shape = (outputs, inputs, 1, 1)
        table += [
            ("downsample.0", "downsample_conv", "downsample.1", "downsample_bn", shape)
        ]
    for torch_conv, flax_conv, torch_norm, flax_norm, shape in table:
        path = ("params", flax, flax_conv, "kernel")
        yield f"{torch}.{torch_conv}.weight", Leaf(path, shape)
        yield from _norm(f"{torch}.{torch_norm}", (flax, flax_norm), shape[0])


def _norm(
    torch: str, flax: tuple[str, ...], channels: int
) -> Iterator[tuple[str, Leaf]]:
    for name, collection, leaf in NORM:
        yield f"{torch}.{name}", Leaf((collection, *flax, leaf), (channels,))


def _sizes(state: Mapping[str, np.ndarray]) -> tuple[int, int]:
    """Width and classes as the tensors have them; the usual ones where they don't."""
    usual = leaves()

    def first(*names: str) -> int:
        for name in names:
            if name in state and state[name].ndim == len(usual[name].shape):
                return state[name].shape[0]
        return usual[names[0]].shape[0]

    # The bias first, since a weight may be transposed or that of a 1x1 convolution.
    return first("conv1.weight"), first("fc.bias", "fc.weight")


def _check(state: Mapping[str, np.ndarray], table: Mapping[str, Leaf]) -> None:
    missing, unknown = strangers(state)
    problems = {
        "missing": missing,
        "unknown": unknown,
        "misshapen": [
            f"{name} {list(state[name].shape)} instead of {list(leaf.shape)}"
            for name, leaf in table.items()
            if name in state and state[name].shape != leaf.shape
        ],
        "unusable": [
            f"{name} ({why})"
            for name, leaf in table.items()
            if name in state and state[name].shape == leaf.shape
            for why in _faults(name, state[name])
        ],
    }
    if any(problems.values()):
        lists = [
            f"{len(names)} {kind}: {', '.join(names)}"
            for kind, names in problems.items()
            if names
        ]
        raise ValueError(
            "got a state dict that is no ResNet-50: "
            + "; ".join(lists)
            + ". Name its layout if you know it, or state where the weights are, what "
            "to rename and what may be left over (--root, --rename, --drop)"
        )


def _faults(name: str, array: np.ndarray) -> Iterator[str]:
    if array.dtype not in STORED:
        yield f"{array.dtype} instead of floating point"
    elif not np.isfinite(array).all():
        yield "not finite"
    elif name.endswith("running_var") and (array < 0).any():
        yield "negative"
