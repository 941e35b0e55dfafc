"""Is it torchvision's network, asked without a trace?"""

import builtins

import numpy as np
import pytest
import torch
from parity import faults

from convert import torch_network


def test_the_network_has_the_names_of_torchvision():
    names = list(torch_network.resnet50(4, 10).state_dict())
    assert len(names) == 320
    assert names[:2] == ["conv1.weight", "bn1.weight"]
    assert "layer1.0.downsample.1.running_var" in names and names[-1] == "fc.bias"


def test_without_torch_the_message_says_how_to_have_it(monkeypatch):
    imports = builtins.__import__

    def without_torch(name, *arguments, **options):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'")
        return imports(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without_torch)
    with pytest.raises(ImportError, match=r"pip install 'biases_jax\[torch\]'"):
        torch_network.library()


def test_answers_leave_the_network_and_torchs_settings_as_they_were(state):
    network = torch_network.resnet50(4, 10).double()
    network.load_state_dict(state)
    torch.set_float32_matmul_precision("medium")
    allowed = torch.backends.cudnn.allow_tf32
    torch.backends.cudnn.allow_tf32 = True
    inside = []
    network.register_forward_hook(
        lambda *_: inside.append(
            (torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32)
        )
    )
    try:
        images = np.random.default_rng(0).random((2, 32, 32, 3)).astype(np.float32)
        found = faults.answers(network, images, "float32", None)
        assert torch.get_float32_matmul_precision() == "medium"
        assert torch.backends.cudnn.allow_tf32 and set(inside) == {("highest", False)}
    finally:
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = allowed
    assert network.fc.weight.dtype == torch.float64
    assert found.gradient.shape == images.shape
    assert found.stages["conv1"].min() < 0 <= found.stages["stem"].min()
