"""What does PyTorch compute, and on which random but lifelike checkpoints?"""

import numpy as np
import torch
from torch import nn

from convert import torch_network

ResNet50 = torch_network.resnet50


def random_state_dict(
    seed: int, width: int = 64, num_classes: int = 1000
) -> dict[str, torch.Tensor]:
    """Return all 320 entries in float32, batch norms random but true to the layers.

    Means and variances are those of noise images, moved at random by some 10 %, so
    that activations keep their size. Logits spread by about 1, and depend on the image.
    """
    generator = torch.Generator().manual_seed(seed)
    network = ResNet50(width, num_classes)
    images = calibration_images(generator)
    with torch.no_grad():
        draw_weights(network, generator)
        network.train()
        network(images)
        for module in network.modules():
            if isinstance(module, nn.BatchNorm2d):
                perturb_statistics(module, generator)
        network.eval()
        features = []
        network.fc.register_forward_pre_hook(lambda _, x: features.append(x[0]))
        network(images)
        spread_logits(network.fc, features[0], generator)
    return {name: value.clone() for name, value in network.state_dict().items()}


def answers(state, pixels, mean, std, stem_stride=2):
    """Return logits and the input gradient of their summed cross-entropy, as NumPy.

    Args:
        state: as `random_state_dict` gives it.
        pixels: NHWC in [0, 1]; all is computed in their dtype.
        mean: of the three channels, rounded to float32 as the variables hold it.
        std: likewise.
        stem_stride: of the network.
    """
    width, classes = state["conv1.weight"].shape[0], state["fc.bias"].shape[0]
    x = torch.tensor(pixels)
    network = ResNet50(width, classes, stem_stride)
    network.load_state_dict(state)
    network = network.to(x.dtype)
    mean, std = (torch.tensor(np.float32(a)).to(x.dtype) for a in (mean, std))
    x.requires_grad_()
    logits = network(((x - mean) / std).permute(0, 3, 1, 2))
    labels = torch.arange(len(pixels)) % classes
    nn.functional.cross_entropy(logits, labels, reduction="sum").backward()
    return logits.detach().numpy(), x.grad.numpy()


def calibration_images(generator: torch.Generator) -> torch.Tensor:
    """Return 8 normalised images [8, 3, 96, 96], coarse and fine noise mixed."""
    coarse = torch.randn(8, 3, 6, 6, generator=generator)
    fine = torch.randn(8, 3, 96, 96, generator=generator)
    coarse = nn.functional.interpolate(coarse, size=96, mode="bilinear")
    return coarse + 0.5 * fine


def draw_weights(network: nn.Module, generator: torch.Generator) -> None:
    for name, module in network.named_modules():
        if isinstance(module, nn.Conv2d):
            fan_in = module.weight[0].numel()
            module.weight.normal_(0, (2 / fan_in) ** 0.5, generator=generator)
        elif isinstance(module, nn.BatchNorm2d):
            # As in trained networks, a branch adds less than its shortcut brings.
            least, most = (0.2, 0.6) if name.endswith("bn3") else (0.5, 1.5)
            module.weight.uniform_(least, most, generator=generator)
            module.bias.uniform_(-0.3, 0.3, generator=generator)
            module.momentum = 1.0  # running statistics are those of one batch


def perturb_statistics(norm: nn.BatchNorm2d, generator: torch.Generator) -> None:
    sigma = norm.running_var.sqrt()
    shift = torch.empty_like(sigma).uniform_(-0.1, 0.1, generator=generator)
    norm.running_mean += shift * sigma
    stretch = torch.empty_like(sigma).uniform_(0.9, 1.2, generator=generator)
    norm.running_var *= stretch


def spread_logits(
    fc: nn.Linear, features: torch.Tensor, generator: torch.Generator
) -> None:
    """Centre the logits on the mean feature: without that, one class always wins."""
    scale = (features - features.mean(0)).pow(2).sum(1).mean().rsqrt()
    fc.weight.normal_(0, scale, generator=generator)
    fc.bias.normal_(0, 0.1, generator=generator)
    fc.bias -= fc.weight @ features.mean(0)
