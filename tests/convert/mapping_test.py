"""Does every tensor reach its leaf unchanged, and is anything amiss told at once?"""

import re

import jax
import ml_dtypes
import numpy as np
import pytest

from biases_jax.models import resnet
from convert import mapping

MEAN, STD = (0.1, 0.2, 0.3), (0.4, 0.5, 0.6)


def path(name):
    """The place of a tensor in Flax, written independently of the table."""
    module, kind = name.rsplit(".", 1)
    module = module.replace("downsample.0", "downsample_conv")
    module = module.replace("downsample.1", "downsample_bn")
    module = re.sub(r"(layer\d)\.(\d)\.", r"\1_\2/", module)
    collection = "batch_stats" if kind.startswith("running") else "params"
    weight = "scale" if "bn" in module else "kernel"
    leaf = {"weight": weight, "running_mean": "mean", "running_var": "var"}
    return f"{collection}/{module}/{leaf.get(kind, kind)}"


def flat(tree):
    return {
        "/".join(part.key for part in path): leaf
        for path, leaf in jax.tree_util.tree_leaves_with_path(tree)
    }


def test_the_table_follows_the_network(monkeypatch):
    monkeypatch.setattr(resnet, "BLOCKS", (1, 1, 1, 1))
    monkeypatch.setattr(resnet, "EXPANSION", 2)
    table = mapping.leaves(4, 10)
    # The stem's 5, 4 blocks of 4 convolutions with 5 each, and the classifier's 2.
    assert len(table) == 5 + 4 * 4 * 5 + 2
    assert table["fc.weight"].shape == (10, 2 * 4 * 8)


def test_all_267_leaves_are_bit_equal_and_in_flax_order(arrays):
    found = flat(mapping.to_flax(arrays, MEAN, STD))
    expected = {
        path(name): value.transpose({4: (2, 3, 1, 0), 2: (1, 0), 1: (0,)}[value.ndim])
        for name, value in arrays.items()
        if not name.endswith("num_batches_tracked")
    }
    np.testing.assert_array_equal(found.pop("normalize/mean"), np.float32(MEAN))
    np.testing.assert_array_equal(found.pop("normalize/std"), np.float32(STD))
    assert len(found) == 267
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
        assert found[name].dtype == np.float32


def test_the_full_network_has_its_published_size():
    table = mapping.leaves()
    sizes = [np.prod(leaf.shape) for leaf in table.values() if leaf.path[0] == "params"]
    assert (len(table), len(sizes), sum(sizes)) == (267, 161, 25_557_032)


def test_the_names_are_those_of_torchvision(state):
    counters = {name for name in state if name.endswith("num_batches_tracked")}
    assert list(mapping.leaves(4, 10)) == [n for n in state if n not in counters]
    assert len(counters) == 53


def test_counters_of_training_steps_may_be_missing(arrays):
    counted = mapping.to_flax(arrays, MEAN, STD)
    bare = {k: v for k, v in arrays.items() if not k.endswith("num_batches_tracked")}
    jax.tree.map(
        np.testing.assert_array_equal, mapping.to_flax(bare, MEAN, STD), counted
    )


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_half_precision_is_widened_exactly(arrays, dtype):
    half = {name: value.astype(dtype) for name, value in arrays.items()}
    found = flat(mapping.to_flax(half, MEAN, STD))
    kernel = found["params/fc/kernel"]
    assert kernel.dtype == np.float32
    np.testing.assert_array_equal(kernel.T.astype(dtype), half["fc.weight"])


def test_double_precision_is_kept(arrays):
    double = {name: value.astype(np.float64) / 3 for name, value in arrays.items()}
    kernel = mapping.to_flax(double, MEAN, STD)["params"]["fc"]["kernel"]
    np.testing.assert_array_equal(kernel, double["fc.weight"].T)


def test_one_error_lists_everything_that_is_wrong(arrays):
    wrong = dict(arrays)
    del wrong["fc.bias"], wrong["layer3.5.bn2.weight"]
    wrong["head.weight"] = arrays["fc.weight"]
    wrong["bn9.num_batches_tracked"] = arrays["bn1.num_batches_tracked"]
    wrong["layer2.0.conv2.weight"] = arrays["layer2.0.conv2.weight"][:, :, :1]
    wrong["bn1.running_var"] = -arrays["bn1.running_var"]
    wrong["fc.weight"] = arrays["fc.weight"] * np.float32(np.nan)
    wrong["bn1.bias"] = arrays["bn1.bias"].astype(np.int64)
    with pytest.raises(ValueError) as error:
        mapping.to_flax(wrong, MEAN, STD)
    text = str(error.value)
    assert "2 missing: layer3.5.bn2.weight, fc.bias;" in text
    assert "2 unknown: bn9.num_batches_tracked, head.weight;" in text
    assert "layer2.0.conv2.weight [8, 8, 1, 3] instead of [8, 8, 3, 3]" in text
    assert "3 unusable: bn1.bias (int64 instead of floating point), " in text
    assert "bn1.running_var (negative), fc.weight (not finite)" in text


@pytest.mark.parametrize("name", ["conv1.weight", "fc.weight"])
def test_tensors_that_give_the_sizes_may_be_wrong_themselves(arrays, name):
    wrong = {**arrays, name: np.zeros((), np.float32)}
    with pytest.raises(ValueError, match=re.escape(f"{name} [] instead of")):
        mapping.to_flax(wrong, MEAN, STD)


def test_an_empty_state_dict_misses_all(arrays):
    with pytest.raises(ValueError, match="267 missing: conv1.weight, "):
        mapping.to_flax({}, MEAN, STD)
