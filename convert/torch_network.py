"""What does PyTorch itself compute, stage by stage?

Needed only to compare the frameworks: nothing imports torch before it is used.
"""

import collections
import contextlib
import copy
import functools
import platform
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from biases_jax.models import activations, resnet

MISSING = "PyTorch is not installed here: pip install 'biases_jax[torch]'"
PRECISIONS = ("float64", "float32")


def library() -> ModuleType:
    """Return torch.

    Raises:
        ImportError: it is not installed; says how to have it.
    """
    try:
        import torch
    except ImportError as error:
        raise ImportError(MISSING) from error
    return torch


def about() -> dict[str, Any]:
    """Return torch's version and device, as `subjects.about` does for JAX."""
    return {
        "libraries": {"torch": library().__version__},
        "platform": "cpu",
        "device": platform.machine(),
    }


def resnet50(width: int = 64, num_classes: int = 1000, stem_stride: int = 2) -> Any:
    """Return torchvision's ResNet-50 v1.5 for inference, with its 320 names.

    Normalised NCHW images to logits; the weights are random.
    """
    nn = library().nn
    layers = {
        "conv1": nn.Conv2d(3, width, 7, stem_stride, padding=3, bias=False),
        "bn1": nn.BatchNorm2d(width),
        "relu": nn.ReLU(inplace=True),
        "maxpool": nn.MaxPool2d(3, stride=2, padding=1),
    }
    inputs = width
    for index, blocks in enumerate(resnet.BLOCKS):
        planes = width * 2**index
        layer = []
        for block in range(blocks):
            stride = 2 if index > 0 and block == 0 else 1
            layer.append(_bottleneck()(inputs, planes, stride, project=block == 0))
            inputs = planes * resnet.EXPANSION
        layers[f"layer{index + 1}"] = nn.Sequential(*layer)
    layers["avgpool"] = nn.AdaptiveAvgPool2d(1)
    layers["flatten"] = nn.Flatten()
    layers["fc"] = nn.Linear(inputs, num_classes)
    return nn.Sequential(collections.OrderedDict(layers)).eval()


@functools.cache
def _bottleneck() -> type:
    nn = library().nn

    class Bottleneck(nn.Module):
        """1x1, 3x3, 1x1 with the stride in the 3x3 (v1.5), and a shortcut."""

        def __init__(self, inputs: int, planes: int, stride: int, project: bool):
            super().__init__()
            outputs = planes * resnet.EXPANSION
            self.conv1 = nn.Conv2d(inputs, planes, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(planes)
            self.conv2 = nn.Conv2d(planes, planes, 3, stride, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(planes)
            self.conv3 = nn.Conv2d(planes, outputs, 1, bias=False)
            self.bn3 = nn.BatchNorm2d(outputs)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = None
            if project:
                shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
                self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(outputs))

        def forward(self, x):
            shortcut = x if self.downsample is None else self.downsample(x)
            x = self.relu(self.bn1(self.conv1(x)))
            x = self.relu(self.bn2(self.conv2(x)))
            return self.relu(self.bn3(self.conv3(x)) + shortcut)

    return Bottleneck


def answers(
    network: Any,
    mean: Any,
    std: Any,
    images: activations.Pixels,
    precision: str,
    labels: activations.Labels | None = None,
) -> activations.Answers:
    """Return all stages and the input gradient, as `activations.answers` does.

    On the CPU, exact products.

    Args:
        network: of normalised NCHW images, with the names of `resnet50`.
        mean: of the three channels of images in [0, 1], rounded to float32.
        std: likewise.
        images: RGB in [0, 1].
        precision: 'float64' or 'float32'.
        labels: classes of the cross-entropy; None for the network's own decisions.
    """
    torch = library()
    dtype = getattr(torch, precision)
    network = copy.deepcopy(network).to(dtype)
    mean, std = (torch.tensor(np.float32(a)).to(dtype) for a in (mean, std))

    def step(pixels, classes):
        x = torch.tensor(pixels, requires_grad=True)
        normalized = ((x - mean) / std).permute(0, 3, 1, 2)
        stages = {"normalized": _channels_last(normalized)}
        with _kept(network, stages):
            logits = network(normalized)
        targets = torch.from_numpy(classes).long()
        targets = torch.where(targets == activations.OWN, logits.argmax(1), targets)
        loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
        loss.backward()
        return stages, x.grad.numpy()

    with _exact(torch):
        return activations.by_steps(step, images.astype(precision), labels)


@contextlib.contextmanager
def _kept(network: Any, stages: dict[str, np.ndarray]) -> Iterator[None]:
    """Copy what the stages' modules return, before a ReLU overwrites it."""
    places = {"conv1": "bn1", "stem": "maxpool", "pooled": "flatten", "logits": "fc"}
    places |= {name: name.replace("_", ".") for name in activations.BLOCKS}

    def keep(name):
        return lambda _, inputs, output: stages.update({name: _channels_last(output)})

    hooks = [
        network.get_submodule(place).register_forward_hook(keep(name))
        for name, place in places.items()
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _channels_last(tensor: Any) -> np.ndarray:
    axes = (0, 2, 3, 1) if tensor.ndim == 4 else (0, 1)
    return np.ascontiguousarray(tensor.detach().permute(axes).numpy().copy())


@contextlib.contextmanager
def _exact(torch: ModuleType) -> Iterator[None]:
    """Forbid products of rounded factors, as TF32 and bfloat16 have, on any device."""
    matmul = torch.get_float32_matmul_precision()
    convolutions = torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(matmul)
        torch.backends.cudnn.allow_tf32 = convolutions
