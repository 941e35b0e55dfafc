"""Does PyTorch read a converted model's own file, and only that?"""

import argparse
import collections
import json

import pytest
import torch
from safetensors.torch import save_file

from biases_jax.models import checkpoints
from convert import errors, mapping, run, torch_reading


@pytest.fixture
def converted(tmp_path):
    """Convert a file that is already written; return the manifest."""

    def convert(path, **options):
        run.convert("small", str(path), "", tmp_path / "checkpoints", **options)
        return checkpoints.read_manifest(tmp_path / "checkpoints" / "small")

    return convert


def test_torch_reads_the_same_weights_as_the_conversion(save, state, converted):
    manifest = converted(save(state))
    loaded = torch_reading.load(manifest)
    assert loaded.reader == "torch"
    assert loaded.weights_sha256 == manifest["weights_sha256"]
    found = loaded.network.state_dict()
    for name in mapping.leaves(4, 10):
        assert torch.equal(found[name], state[name].double()), name
    assert not loaded.network.training


def test_prefixes_roots_and_namespaces_are_read_as_by_the_conversion(
    save, prefixed, converted
):
    arguments = argparse.Namespace(lr=0.1, arch="resnet50")
    manifest = converted(save({"args": arguments, "state_dict": prefixed, "epoch": 9}))
    loaded = torch_reading.load(manifest)
    assert loaded.reader == "torch"
    assert loaded.weights_sha256 == manifest["weights_sha256"]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_safetensors_are_widened_exactly(
    state, converted, tmp_path, dtype
):
    path = tmp_path / "half.safetensors"
    half = {n: v.to(dtype) if v.is_floating_point() else v for n, v in state.items()}
    save_file(half, path)
    manifest = converted(path)
    loaded = torch_reading.load(manifest)
    assert (loaded.reader, loaded.weights_sha256) == (
        "torch",
        manifest["weights_sha256"],
    )
    network = loaded.network.state_dict()
    assert torch.equal(network["fc.weight"], half["fc.weight"].double())


def test_files_without_counters_load(save, state, converted):
    kept = {n: v for n, v in state.items() if not n.endswith("num_batches_tracked")}
    manifest = converted(save(collections.OrderedDict(kept)))
    assert torch_reading.load(manifest).weights_sha256 == manifest["weights_sha256"]


class Unknown:
    """A class that torch does not let a file name."""


def test_where_torch_refuses_a_file_our_reader_is_used_and_named(
    save, state, converted
):
    manifest = converted(save({"optimizer": Unknown(), "state_dict": state}))
    loaded = torch_reading.load(manifest)
    assert loaded.reader.startswith("this project's reader, torch refused model.pth")
    assert loaded.weights_sha256 == manifest["weights_sha256"]


def test_a_changed_or_absent_file_is_refused(save, state, converted):
    path = save(state)
    manifest = converted(path)
    state = {**state, "fc.bias": state["fc.bias"] + 1}
    save(state)
    with pytest.raises(errors.CheckpointError, match="it was changed since its conv"):
        torch_reading.load(manifest)
    path.unlink()
    with pytest.raises(errors.CheckpointError, match="the file that was converted is"):
        torch_reading.load(manifest)


def test_rules_that_leave_a_tensor_out_are_refused_with_its_name(
    save, state, converted
):
    manifest = json.loads(json.dumps(converted(save(state))))
    manifest["sources"]["backbone"]["drop"] = [r"^layer1\.0\.bn1\.bias$"]
    with pytest.raises(errors.CheckpointError, match=r"missing: layer1\.0\.bn1\.bias"):
        torch_reading.load(manifest)
