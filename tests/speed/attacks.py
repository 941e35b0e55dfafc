"""What does an attack cost beyond its gradients, and against a PyTorch loop?

Run `python tests/speed/attacks.py`, or `taskset -c 0 python tests/speed/attacks.py` for
one core. Linf PGD of `--steps` steps on one random ResNet-50 and one batch, three ways
that take turns in one process: the compiled attack, as many calls of the compiled input
gradient and a forward pass (what its network passes cost at least), and a PyTorch loop
(eager, channels_last). Ratios are medians over rounds of turns next to each other, with
their range; above 1 is faster than the peer. Where other programs share the cores, the
ratio of processor times means more.
"""

import argparse
import os
import statistics

import forward
import jax
import numpy as np
import torch
from torch import nn

from biases_jax import sharding
from biases_jax.attacks import pgd
from biases_jax.models import checkpoints, ops, resnet
from convert import mapping

EPSILON, STEP = 4 / 255, 2 / 255
ATTACK, GRADIENTS, TORCH = "attack", "gradients alone", "torch loop"


def main() -> None:
    """Check that both sides find images of equal loss, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--width", type=int, default=64)
    arguments = parser.parse_args()
    jax.config.update("jax_platforms", "cpu")
    cores = len(os.sched_getaffinity(0))
    sharding.use_cores(limit=cores)
    torch.set_num_threads(cores)
    state = forward.torch_oracle.random_state_dict(0, arguments.width)
    generator = np.random.default_rng(0)
    shape = (arguments.batch, 224, 224, 3)
    pixels = generator.random(shape, np.float32)
    noise = generator.uniform(-1, 1, shape).astype(np.float32)
    network, _ = forward.torch_networks(state)
    tasks = ours(state, pixels, noise, arguments.steps) | {
        TORCH: torch_attack(network, pixels, noise, arguments.steps)
    }
    print(
        f"batch {arguments.batch}, {arguments.steps} steps, {cores} core(s), "
        f"load {os.getloadavg()[0]:.1f}"
    )
    check(network, pixels, tasks)
    report(tasks, arguments.rounds, arguments.batch)


def ours(state, pixels, noise, steps):
    """Return the compiled attack, and its gradients and forward pass alone."""
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    variables = checkpoints.fold(mapping.to_flax(arrays, forward.MEAN, forward.STD))
    width = state["conv1.weight"].shape[0]
    network = resnet.ResNet50(width, forms=ops.for_backend())
    apply = resnet.apply_of(network)
    method = pgd.PGD(EPSILON, STEP, steps)

    def attacked(tree, images, labels, start):
        draws = {"unit_noise": start}
        return method.run(draws, images, labels, lambda x: apply(tree, x))

    spread = sharding.spread("shard_map")
    compiled = spread.per_device(attacked, (False, True, True, True))
    labels = np.zeros((len(pixels), 1), np.int32)
    placed = [spread.shard(x) for x in (pixels, labels, noise)]
    replicated = spread.replicate(variables)
    predict, gradient = forward.jax_runs(apply, variables, pixels)

    def gradients_alone():
        for _ in range(steps):
            gradient()
        predict()

    return {
        ATTACK: lambda: np.asarray(compiled(replicated, *placed).image),
        GRADIENTS: gradients_alone,
    }


def torch_attack(network, pixels, noise, steps):
    """Return a function to PGD's last iterate, as PyTorch users write it."""

    def run():
        original = torch.from_numpy(pixels)
        x = (original + EPSILON * torch.from_numpy(noise)).clamp(0, 1)
        for _ in range(steps):
            x.requires_grad_()
            torch_loss(network, x).sum().backward()
            with torch.no_grad():
                x = x + STEP * x.grad.sign()
                x = (original + (x - original).clamp(-EPSILON, EPSILON)).clamp(0, 1)
        with torch.inference_mode():
            network(forward.normalized(x)).argmax(1).numpy()
        return x.numpy()

    return run


def torch_loss(network, images):
    """Return the cross-entropy of class 0 of each image."""
    labels = torch.zeros(len(images), dtype=torch.long)
    logits = network(forward.normalized(images))
    return nn.functional.cross_entropy(logits, labels, reduction="none")


def check(network, pixels, tasks):
    """Refuse to compare what differs; this also compiles and warms up.

    Pixels may differ: a gradient near 0 has another sign after other rounding.
    """
    tasks[GRADIENTS]()
    images = (pixels, tasks[ATTACK](), tasks[TORCH]())
    with torch.inference_mode():
        clean, found, expected = (
            torch_loss(network, torch.tensor(x)).mean().item() for x in images
        )
    print(f"loss {clean:.3f} to {found:.3f} (ours), {expected:.3f} (torch)")
    if not abs(found - expected) < 0.05 * (expected - clean):
        raise SystemExit("the losses reached differ by 5 % and more of the gain")


def report(tasks, rounds, batch):
    """Print images/s of every task, and ratios of the attack to the others."""
    wall, processor = forward.timed(tasks, rounds)
    for name, seconds in wall.items():
        print(f"{name}: {batch / statistics.median(seconds):.3f} images/s")
    for peer in (GRADIENTS, TORCH):
        by_wall, low, high = forward.ratio(wall[peer], wall[ATTACK])
        by_processor, *_ = forward.ratio(processor[peer], processor[ATTACK])
        print(
            f"attack: {by_wall:.2f}x of {peer} ({low:.2f} to {high:.2f}); "
            f"{by_processor:.2f}x by processor time"
        )


if __name__ == "__main__":
    main()
