"""Is every checkpoint that torch.save or safetensors writes read bit for bit?"""

import argparse
import collections
import os

import handmade_checkpoints as handmade
import ml_dtypes
import numpy as np
import pytest
import safetensors.torch
import torch

from biases_jax.models import spec, zoo
from convert import errors, mapping, state_dict

DTYPES = {
    torch.float16: np.float16,
    torch.bfloat16: ml_dtypes.bfloat16,
    torch.float32: np.float32,
    torch.float64: np.float64,
    torch.uint8: np.uint8,
    torch.int8: np.int8,
    torch.int16: np.int16,
    torch.int32: np.int32,
    torch.int64: np.int64,
    torch.bool: np.bool_,
}


class Touch:
    """What an attacker pickles: unpickling it as usual runs a command."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


def selected(tree, root="", **rules):
    return state_dict.select(tree, spec.Rules((root,), **rules))


def weights(path, **rules):
    return selected(state_dict.read(path).tree, **rules)[0]


def test_a_flat_state_dict_is_bit_equal(save, state, arrays, equal):
    equal(weights(save(state)), arrays)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_pickle_protocol_is_read(save, arrays, state, equal, protocol):
    equal(weights(save(state, pickle_protocol=protocol)), arrays)


def test_the_names_of_files_play_no_part(save, state, arrays, equal):
    equal(weights(save(state, "resnet50.safetensors")), arrays)


def test_safetensors_are_bit_equal(tmp_path, state, arrays, equal):
    path = tmp_path / "model.pth"
    safetensors.torch.save_file(state, path, metadata={"stem_stride": "1"})
    checkpoint = state_dict.read(path)
    assert checkpoint.container == "safetensors"
    assert checkpoint.metadata["stem_stride"] == "1"
    equal(selected(checkpoint.tree)[0], arrays)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_type_is_bit_equal(save, tmp_path, equal, dtype):
    values = (torch.arange(-6, 6).reshape(3, 4) / 7 * 5).to(dtype)
    expected = np.frombuffer(values.view(torch.uint8).numpy().tobytes(), DTYPES[dtype])
    expected = {"a": expected.reshape(3, 4)}
    equal(weights(save({"a": values})), expected)
    safetensors.torch.save_file({"a": values}, tmp_path / "a.safetensors")
    equal(weights(tmp_path / "a.safetensors"), expected)


def test_parameters_are_tensors(save, equal):
    value = torch.nn.Parameter(torch.randn(3, 2))
    value.note = "a state of its own"  # pickled by another function
    content = {"a": value, "b": torch.nn.Parameter(torch.randn(()))}
    expected = {name: tensor.detach().numpy() for name, tensor in content.items()}
    equal(weights(save(content)), expected)


def test_aliases_and_views_of_one_storage_come_out_right(save, equal):
    base = torch.randn(6, 5)
    content = {
        "base": base,
        "same": base,
        "row": base[3],
        "column": base[:, 2],
        "transposed": base.T,
        "steps": base[1::2, ::2],
        "empty": base[:0],
        "scalar": base[2, 3],
    }
    expected = {name: tensor.numpy() for name, tensor in content.items()}
    equal(weights(save(content)), expected)


def test_expanded_tensors_are_refused_by_name(save, state):
    content = {"state_dict": {**state, "wide": torch.zeros(1).expand(2**28)}}
    with pytest.raises(errors.CheckpointError) as error:
        weights(save(content), root="state_dict")
    assert "state_dict.wide: got a tensor that repeats elements" in str(error.value)
    weights(save(content), root="state_dict", drop=("wide",))


def test_permuted_convolutions_keep_their_order(save, state, arrays, equal):
    # Ports from TensorFlow are saved as transposed views of HWIO buffers.
    views = {
        name: value.permute(2, 3, 1, 0).contiguous().permute(3, 2, 0, 1)
        if value.ndim == 4
        else value
        for name, value in state.items()
    }
    assert not views["conv1.weight"].is_contiguous()
    equal(weights(save(views)), arrays)


def test_old_views_of_storages_are_read(tmp_path, equal):
    # PyTorch before 0.4 described views within the storage: key, offset, length.
    part = handmade.Storage("7", 10, ("8", 4, 5))
    content = {
        "part": handmade.Tensor(part, 1, (2, 2), (2, 1)),
        "whole": handmade.Tensor(handmade.Storage("7", 10, None), 0, (10,), (1,)),
    }
    values = np.arange(10, dtype=np.float32)
    path = handmade.write_legacy(
        tmp_path / "old.pth", handmade.described(content), {"7": (10, values.tobytes())}
    )
    equal(weights(path), {"part": values[5:9].reshape(2, 2), "whole": values})


def test_what_is_not_weights_may_be_anything_and_is_listed(save, state, arrays, equal):
    trained = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1, momentum=0.9)
    trained(torch.ones(2)).sum().backward()
    optimizer.step()
    content = {
        "epoch": 90,
        "args": argparse.Namespace(lr=0.1, milestones=[30, 60]),
        "best_acc1": torch.tensor(76.1),
        "acc": np.float64(76.1),
        "history": np.arange(3),
        "optimizer": optimizer.state_dict(),
        "network": trained,
        "nothing": None,
        "model": {"state_dict": state},
    }
    checkpoint = state_dict.read(save(content))
    found, entries = selected(checkpoint.tree, root="model.state_dict")
    equal(found, arrays)
    assert entries.dropped == []
    assert "argparse.Namespace" in checkpoint.placeholders
    assert "torch.nn.modules.linear.Linear" in checkpoint.placeholders
    assert not any("OrderedDict" in name for name in checkpoint.placeholders)


def test_unknown_objects_among_the_weights_are_errors_that_name_them(save, state):
    content = {"state_dict": {**state, "args": argparse.Namespace(), "epoch": 3}}
    with pytest.raises(errors.CheckpointError) as error:
        weights(save(content), root="state_dict")
    assert "state_dict.args: got an unknown object argparse.Namespace" in str(
        error.value
    )
    assert "state_dict.epoch: got a int, expected a tensor" in str(error.value)


def test_a_pickled_network_is_refused(save):
    with pytest.raises(errors.CheckpointError, match="torch.nn.modules.linear.Linear"):
        weights(save(torch.nn.Linear(2, 2)))


@pytest.mark.parametrize("place", ["beside", "inside"])
def test_nothing_in_a_pickle_is_run(save, state, tmp_path, arrays, equal, place):
    touched = tmp_path / "touched"
    model = dict(state)
    content = {"model": model, "beside": Touch(touched)}
    if place == "inside":
        model["inside"] = Touch(touched)
    checkpoint = state_dict.read(save(content))
    assert not touched.exists()
    assert checkpoint.placeholders == (f"{os.system.__module__}.system",)
    if place == "inside":
        with pytest.raises(errors.CheckpointError, match="model.inside"):
            selected(checkpoint.tree, root="model")
    else:
        equal(selected(checkpoint.tree, root="model")[0], arrays)
    # The oracle: Python's own unpickler does run it.
    os.system(f"touch {touched}")
    assert touched.exists()


def broken(state):
    """Test T9: a prefix, keys of a second batch norm, one missing, one misshapen."""
    renamed = {f"module.{name}": value for name, value in state.items()}
    del renamed["module.fc.bias"]
    renamed["module.bn1.bias"] = torch.zeros(5)
    extra = {
        name.replace(".bn1.", ".bn1.aux_bn."): value
        for name, value in renamed.items()
        if ".bn1." in name
    }
    assert len(extra) == 17 * 5
    return {
        "state_dict": collections.OrderedDict(renamed | extra),
        "args": argparse.Namespace(lr=0.1),
    }


def test_without_rules_all_names_are_listed_as_missing_and_unknown(save, state):
    found = weights(save(broken(state)), root="state_dict")
    with pytest.raises(ValueError) as error:
        mapping.to_flax(found, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    text = str(error.value)
    assert "267 missing: conv1.weight, " in text
    assert "404 unknown: " in text
    for name in found:
        assert name in text


def test_with_rules_only_what_is_truly_wrong_is_left(save, state):
    found, entries = selected(
        state_dict.read(save(broken(state))).tree,
        root="state_dict",
        rename=((r"^module\.", ""),),
        drop=(r"\.aux_bn\.",),
    )
    assert len(entries.dropped) == 17 * 5
    assert all(".aux_bn." in name for name in entries.dropped)
    with pytest.raises(ValueError) as error:
        mapping.to_flax(found, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    assert "1 missing: fc.bias; 1 misshapen: bn1.bias [5] instead of [4]." in str(
        error.value
    )


def test_rules_apply_in_order_and_only_where_they_match(save, prefixed, arrays, equal):
    path = save(prefixed)
    equal(weights(path, rename=(("^module", "x"), (r"^x\.", ""))), arrays)
    with pytest.raises(errors.CheckpointError, match="is a second bn"):
        weights(path, rename=((r"^module\.bn1\..*", "bn"),))


@pytest.mark.parametrize("root", ["state_dict", "model.net", "model.a.b"])
def test_a_wrong_root_is_an_error_that_shows_the_file(save, state, root):
    with pytest.raises(errors.CheckpointError, match="epoch .a int., model .a dict of"):
        weights(save({"epoch": 3, "model": dict(state)}), root=root)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "got 0 bytes"),
        (b"<!DOCTYPE html><html>quota exceeded", "an HTML or XML page"),
        (b"\n\n <html>", "an HTML or XML page"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\0" * 257 + b"ustar", "a tar archive"),
        (b"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"\x93NUMPY", "unknown first bytes"),
        (b"\xff" * 100, "unknown first bytes"),
        (b"\x50\x19\xa8", "unknown first bytes"),
        (b"PK\x03\x04 cut off", "a broken zip archive"),
        (b"\x80", "a broken pickle"),
        (b"\x80\x02K\x01.", "a broken pickle"),
        (b"\x80\x02}q\x00.\x80\x02K\x01.\x80\x02K\x01.", "torch.save did not write"),
        (b"\x10\0\0\0\0\0\0\0{ not json       ", "a broken .safetensors"),
        (b"\x01\0\0\1\0\0\0\0{ of 16 MB", "unknown first bytes"),
    ],
)
def test_what_is_no_checkpoint_is_one_clear_error(tmp_path, content, message):
    path = tmp_path / "model.pth"
    path.write_bytes(content)
    with pytest.raises(errors.CheckpointError, match=message) as error:
        state_dict.read(path)
    assert str(path) in str(error.value)
