"""How fast are the network and its input gradient, against PyTorch on the same cores?

Run `python tests/speed/forward.py`, or `taskset -c 0 python tests/speed/forward.py` for
one core. Both sides use all cores: PyTorch by its threads, ours as the program does, by
one device a core. PyTorch is measured in channels_last, as it is (eager) and with batch
norms fused into the convolutions; all take turns in one process, on one random
checkpoint and one batch. Every line is a median over rounds with its range, ratios are
of turns next to each other, above 1 is faster than PyTorch. Goals: forward 0.9 of
fused, with gradient 1.0 of eager. Where other programs share the cores, the ratio of
processor times means more.
"""

import argparse
import copy
import os
import pathlib
import statistics
import sys
import time

import jax
import numpy as np
import optax
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

ROOT = pathlib.Path(__file__).parents[2]
sys.path[0] = str(ROOT)  # this file's folder, whose convert.py would hide the package
sys.path.append(str(ROOT / "tests"))

import torch_oracle  # noqa: E402

from biases_jax import sharding  # noqa: E402
from biases_jax.models import checkpoints, ops, resnet  # noqa: E402
from convert import mapping  # noqa: E402

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
OURS, PLAIN = "ours", "plain XLA"
PEERS = ("torch eager", "torch fused")


def main() -> None:
    """Check that all compute the same, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--plain", action="store_true", help="also XLA's own forms")
    arguments = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")
    cores = len(os.sched_getaffinity(0))
    sharding.use_cores(limit=cores)
    torch.set_num_threads(cores)
    state = torch_oracle.random_state_dict(0, arguments.width)
    pixels = np.random.default_rng(0).random((arguments.batch, 224, 224, 3), np.float32)
    print(f"batch {arguments.batch}, {cores} core(s), load {os.getloadavg()[0]:.1f}")
    forwards, gradients = runs(state, pixels, arguments.plain)
    for name, tasks in (("forward", forwards), ("forward + gradient", gradients)):
        check(tasks)
        report(name, tasks, arguments.rounds, arguments.batch)


def runs(state, pixels, plain):
    """Return two dicts of name to function: forward, forward and input gradient."""
    networks = dict(zip(PEERS, torch_networks(state), strict=True))
    forwards = {n: torch_forward(network, pixels) for n, network in networks.items()}
    gradients = {n: torch_gradient(network, pixels) for n, network in networks.items()}
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    variables = checkpoints.fold(mapping.to_flax(arrays, MEAN, STD))
    forms = {OURS: ops.for_backend()} | ({PLAIN: ops.PLAIN} if plain else {})
    width = state["conv1.weight"].shape[0]
    for name, form in forms.items():
        apply = resnet.apply_of(resnet.ResNet50(width, forms=form))
        forwards[name], gradients[name] = jax_runs(apply, variables, pixels)
    return forwards, gradients


def torch_networks(state):
    """Return the eager and the fused network, frozen, in channels_last."""
    eager = torch_oracle.ResNet50(state["conv1.weight"].shape[0])
    eager.load_state_dict(state)
    fused = copy.deepcopy(eager)
    for block in (fused, *fused.modules()):
        for number in (1, 2, 3):
            norm = getattr(block, f"bn{number}", None)
            if isinstance(norm, nn.BatchNorm2d):
                convolution = getattr(block, f"conv{number}")
                fused_pair = fuse_conv_bn_eval(convolution, norm)
                setattr(block, f"conv{number}", fused_pair)
                setattr(block, f"bn{number}", nn.Identity())
        if isinstance(getattr(block, "downsample", None), nn.Sequential):
            block.downsample = fuse_conv_bn_eval(*block.downsample)
    for network in (eager, fused):
        network.requires_grad_(False).to(memory_format=torch.channels_last)
    return eager, fused


def normalized(images):
    """Return torch images, NHWC in memory as ours are, normalised."""
    images = (images - torch.tensor(MEAN)) / torch.tensor(STD)
    return images.permute(0, 3, 1, 2)


def torch_forward(network, pixels):
    """Return a function to logits."""

    def run():
        with torch.inference_mode():
            return network(normalized(torch.from_numpy(pixels))).numpy()

    return run


def torch_gradient(network, pixels):
    """Return a function to the gradient of the summed cross-entropy of class 0."""

    def run():
        images = torch.tensor(pixels, requires_grad=True)
        labels = torch.zeros(len(pixels), dtype=torch.long)
        logits = network(normalized(images))
        nn.functional.cross_entropy(logits, labels, reduction="sum").backward()
        return images.grad.numpy()

    return run


def jax_runs(apply, variables, pixels):
    """Return compiled functions to the same logits and gradient."""
    spread = sharding.spread("shard_map")
    variables, pixels = spread.replicate(variables), spread.shard(pixels)

    def loss(images, tree):
        logits = apply(tree, images)
        labels = np.zeros(len(images), np.int32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).sum()

    def input_gradient(tree, images):
        return jax.grad(loss)(images, tree)

    forward, gradient = (
        spread.per_device(function, (False, True))
        for function in (apply, input_gradient)
    )
    return (
        lambda: forward(variables, pixels).block_until_ready(),
        lambda: gradient(variables, pixels).block_until_ready(),
    )


def check(tasks):
    """Refuse to compare what differs; this also compiles and warms up."""
    expected = np.asarray(tasks[PEERS[0]]())
    for name, task in tasks.items():
        difference = np.linalg.norm(task() - expected) / np.linalg.norm(expected)
        # Float32 gradients of ReLU networks differ by some 2 %, wrong ones by 100 %.
        if not difference < 0.1:
            raise SystemExit(f"{name} differs from {PEERS[0]} by {difference:.1%}")


def report(title, tasks, rounds, batch):
    """Print images/s of every task, and ratios of ours to PyTorch's."""
    wall, processor = timed(tasks, rounds)
    for name, seconds in wall.items():
        print(f"{title}, {name}: {batch / statistics.median(seconds):.2f} images/s")
    for name in tasks:
        for peer in PEERS if name not in PEERS else ():
            by_wall, low, high = ratio(wall[peer], wall[name])
            by_processor, *_ = ratio(processor[peer], processor[name])
            print(
                f"{title}, {name}: {by_wall:.2f}x of {peer} ({low:.2f} to {high:.2f}); "
                f"{by_processor:.2f}x by processor time"
            )


def timed(tasks, rounds):
    """Return each task's wall and processor seconds, one of each a round."""
    wall = {name: [] for name in tasks}
    processor = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start, used = time.perf_counter(), time.process_time()
            task()
            wall[name].append(time.perf_counter() - start)
            processor[name].append(time.process_time() - used)
    return wall, processor


def ratio(theirs, ours):
    """Return median, least and largest of the paired ratios."""
    ratios = [a / b for a, b in zip(theirs, ours, strict=True)]
    return statistics.median(ratios), min(ratios), max(ratios)


if __name__ == "__main__":
    main()
