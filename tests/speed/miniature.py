"""How fast is the drawn world drawn, and a small network trained, beside PyTorch?

Run `python tests/speed/miniature.py`, or with `taskset -c 0` for one core. One training
step of the baseline recipe on 64 stored images (window, mirror, forward, backward,
AdamW), one of the adversarial recipe, PyTorch's eager step of the same network and
batch (forward, backward, AdamW), and the drawing of 64 pictures take turns in one
process. Ratios are medians over rounds of turns next to each other, with their range;
above 1 is faster than the peer. Where other programs share the cores, the ratio of
processor times means more.
"""

import argparse
import os

import forward
import jax
import numpy as np
import torch
from torch import nn

from biases_jax import sharding
from biases_jax.miniature import batches, steps, training, world
from biases_jax.miniature.recipes import RECIPES
from biases_jax.miniature.settings import TRAINING
from convert import torch_network

OURS, ATTACKED, TORCH, DRAWING = "training", "adversarial", "torch", "drawing"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")
    cores = len(os.sched_getaffinity(0))
    sharding.use_cores(limit=cores)
    torch.set_num_threads(cores)
    stored = world.draw(0, np.arange(batches.BATCH), TRAINING, 256)
    tasks = {
        OURS: ours("baseline", stored),
        ATTACKED: ours("adversarial_linf", stored),
        TORCH: theirs(stored),
        DRAWING: lambda: world.draw(1, np.arange(batches.BATCH), TRAINING, 256),
    }
    for task in tasks.values():
        task()  # compiled
    print(f"{cores} core(s), load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds")
    wall, processor = forward.timed(tasks, arguments.rounds)
    for name in tasks:
        rate = batches.BATCH / np.median(wall[name])
        print(f"{name:12} {rate:7.1f} images/s")
    for name, peer in ((OURS, TORCH), (OURS, ATTACKED), (DRAWING, OURS)):
        middle, low, high = forward.ratio(wall[peer], wall[name])
        used, _, _ = forward.ratio(processor[peer], processor[name])
        print(
            f"{name} against {peer}: {middle:.2f}x ({low:.2f} to {high:.2f}), "
            f"by processor time {used:.2f}x"
        )


def ours(name, stored):
    """Return one step of a recipe, from the state that it begins with."""
    recipe, net = RECIPES[name], training.small_network()
    optimizer = steps.optimizer_of(recipe, 1000)
    state = steps.first_state(recipe, net, None, optimizer)
    step = steps.step_of(recipe, net, optimizer, sharding.spread("shard_map"))
    return lambda: jax.block_until_ready(step(state, stored.images, stored.kinds))


def theirs(stored):
    """Return one step of PyTorch's own."""
    network = torch_network.resnet50(8, 16, 4).to(memory_format=torch.channels_last)
    network.train()
    optimizer = torch.optim.AdamW(network.parameters(), 1e-3, weight_decay=0.02)
    window = stored.images[:, 16:240, 16:240].transpose(0, 3, 1, 2)
    images = torch.from_numpy(np.ascontiguousarray(window)).float() / 255
    images = images.to(memory_format=torch.channels_last)
    classes = torch.from_numpy(stored.kinds)

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(images), classes).backward()
        optimizer.step()

    return step


if __name__ == "__main__":
    main()
