"""What goes wrong between frameworks, done to PyTorch's network on purpose?"""

import copy

import numpy as np
import torch
from parity_inputs import CLASSES, MEAN, STD, WIDTH
from torch import nn

from biases_jax.models import activations
from biases_jax.parity import causes
from convert import torch_network

torch.set_num_threads(1)  # two wait for each other longer than these tensors take


def network(state, stem_stride=2):
    built = torch_network.resnet50(WIDTH, CLASSES, stem_stride).double()
    built.load_state_dict(state)
    return built


def answers(built, images, precision, labels, mean=MEAN, std=STD):
    return torch_network.answers(built, mean, std, images, precision, labels)


def rounded(tensor, bits):
    """Return a tensor with `bits` of mantissa; its gradient passes unchanged."""
    mantissa, exponent = torch.frexp(tensor.detach())
    scale = 2.0 ** (bits + 1)
    short = torch.ldexp(torch.round(mantissa * scale) / scale, exponent)
    return tensor + (short - tensor.detach())


def round_factors(built, bits):
    for module in built.modules():
        if isinstance(module, nn.Conv2d | nn.Linear):
            module.weight.data = rounded(module.weight.data, bits)
            module.register_forward_pre_hook(lambda _, x: (rounded(x[0], bits),))


def pad_as_tensorflow(module, outside=0.0):
    """Pad less at the top and left than at the bottom and right."""

    def pad(_, inputs):
        (x,) = inputs
        size, stride = (np.ravel(v)[0] for v in (module.kernel_size, module.stride))
        total = max((-(-x.shape[-1] // stride) - 1) * stride + size - x.shape[-1], 0)
        before, after = int(total // 2), int(total - total // 2)
        sides = (before, after, before, after)
        return (nn.functional.pad(x, sides, value=outside),)

    module.padding = 0
    module.register_forward_pre_hook(pad)


def batch_norm_epsilon(built):
    for module in built.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eps = 1e-3


def epsilon_of_blocks(built):
    stem = built.bn1.eps
    batch_norm_epsilon(built)
    built.bn1.eps = stem


def rounded_blocks(built):
    round_factors(built.layer1, 7)


def permuted_block(built):
    weight = built.layer1[0].conv1.weight
    weight.data = weight.data.roll(1, 1)


def strided_padding(built):
    for name in ("layer2", "layer3", "layer4"):
        pad_as_tensorflow(built.get_submodule(f"{name}.0.conv2"))


def permuted_head(built):
    for parameter in built.fc.parameters():
        parameter.data = parameter.data.roll(1, 0)


def rounded_head(built):
    round_factors(built.fc, 7)


def permuted_stem(built):
    weight = built.conv1.weight
    weight.data = weight.data.roll(1, 0)


# What is done to the network, and the verdict that names it.
IN_THE_NETWORK = {
    "epsilon": (batch_norm_epsilon, causes.BATCH_NORM),
    "epsilon of blocks": (epsilon_of_blocks, causes.BATCH_NORM),
    "rounded blocks": (rounded_blocks, causes.UNKNOWN.format("layer1_0")),
    "other block": (permuted_block, causes.UNKNOWN.format("layer1_0")),
    "stem": (lambda n: pad_as_tensorflow(n.conv1), causes.STEM_PADDING),
    "pool": (lambda n: pad_as_tensorflow(n.maxpool, -np.inf), causes.POOL_PADDING),
    "strided": (strided_padding, causes.STRIDED_PADDING),
    "tf32": (lambda n: round_factors(n, 10), causes.PRECISION.format("TF32")),
    "bfloat16": (lambda n: round_factors(n, 7), causes.PRECISION.format("bfloat16")),
    "head": (permuted_head, causes.HEAD),
    "rounded head": (rounded_head, causes.HEAD_PRECISION),
    "other stem": (permuted_stem, causes.STEM_PADDING),
}
# Images and statistics that the network is given instead, and the verdict.
BEFORE_THE_NETWORK = {
    "statistics": (lambda x: x, (0, 0, 0), (1, 1, 1), causes.NO_NORMALIZATION),
    "order": (lambda x: x[..., ::-1].copy(), MEAN, STD, causes.ORDER.format("BGR")),
    "range": (lambda x: x * np.float32(255), MEAN, STD, causes.RANGE),
    "other": (
        lambda x: x,
        (0.5, 0.5, 0.5),
        (0.25, 0.25, 0.25),
        causes.STATISTICS.format([0.5] * 3, [0.25] * 3),
    ),
}


def injected(fault, state, images, precision, labels) -> activations.Answers:
    """Return what PyTorch answers under a fault of either table."""
    built = network(state)
    if fault in IN_THE_NETWORK:
        IN_THE_NETWORK[fault][0](built)
        return answers(built, images, precision, labels)
    change, mean, std, _ = BEFORE_THE_NETWORK[fault]
    return answers(copy.deepcopy(built), change(images), precision, labels, mean, std)


VERDICTS = {
    **{name: row[-1] for name, row in IN_THE_NETWORK.items()},
    **{
        name: causes.at(row[-1], causes.THEIRS)
        for name, row in BEFORE_THE_NETWORK.items()
    },
}
