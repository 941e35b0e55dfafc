"""Does folding a batch norm leave the function as it was?"""

import jax
import numpy as np
import pytest
import torch
import torch_oracle

from biases_jax.models import checkpoints, zoo
from convert import mapping


@pytest.fixture(scope="module")
def state():
    return torch_oracle.random_state_dict(1, width=4, num_classes=10)


@pytest.fixture(scope="module")
def tree(state):
    arrays = {name: value.numpy() for name, value in state.items()}
    return mapping.to_flax(arrays, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)


@pytest.mark.parametrize(
    "torch_name, flax_path",
    [
        ("bn1", ("conv1",)),
        ("layer1.0.bn1", ("layer1_0", "conv1")),
        ("layer2.3.bn2", ("layer2_3", "conv2")),
        ("layer3.5.bn3", ("layer3_5", "conv3")),
        ("layer4.0.downsample.1", ("layer4_0", "downsample")),
    ],
)
def test_scale_and_shift_equal_torchs_batch_norm(state, tree, torch_name, flax_path):
    layer = checkpoints.fold(tree, np.float64)["params"]
    for name in flax_path:
        layer = layer[name]
    names = ("running_mean", "running_var", "weight", "bias")
    tensors = [state[f"{torch_name}.{name}"].double() for name in names]
    values = torch.randn(5, len(tensors[0]), dtype=torch.float64)
    expected = torch.nn.functional.batch_norm(values, *tensors).numpy()
    # Both in float64; the order of operations differs by a few roundings of 1e-16.
    found = values.numpy() * layer["scale"] + layer["shift"]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_leaves_are_there_in_the_asked_type(tree, dtype):
    folded = checkpoints.fold(tree, dtype)
    assert folded.keys() == {"params", "normalize"}
    # 53 convolutions of kernel, scale and shift, fc's two, mean and std.
    leaves = jax.tree.leaves(folded)
    assert len(leaves) == 53 * 3 + 4
    assert {(type(leaf), leaf.dtype) for leaf in leaves} == {
        (np.ndarray, np.dtype(dtype))
    }


def test_factors_are_rounded_once(tree):
    wide, narrow = checkpoints.fold(tree, np.float64), checkpoints.fold(tree)
    rounded = jax.tree.map(lambda leaf: leaf.astype(np.float32), wide)
    jax.tree.map(np.testing.assert_array_equal, narrow, rounded)


def test_kernels_and_the_tree_itself_are_untouched(tree):
    before = jax.tree.map(np.copy, tree)
    folded = checkpoints.fold(tree)
    for block in ("layer1_0", "layer4_2"):
        np.testing.assert_array_equal(
            folded["params"][block]["conv2"]["kernel"],
            tree["params"][block]["conv2"]["kernel"],
        )
    jax.tree.map(np.testing.assert_array_equal, tree, before)
