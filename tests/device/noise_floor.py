"""How often does rounding alone change a decision?

Runs one network on crops of photographs under several batch sizes, device counts and
precisions, and prints, against one device at batch 16 in float32, the share of changed
decisions and the largest change of a margin over the logits' spread. On a CPU, eight
devices are forced. `python tests/device/noise_floor.py --width=64 --crops=64`
"""

import os
import pathlib
import sys

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
import numpy as np
import skimage.data
from absl import app, flags

from biases_jax import benchmarks, evaluate, labels, photographs, sharding
from biases_jax.models import checkpoints, resnet, zoo
from convert import mapping

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import small_study  # noqa: E402

_WIDTH = flags.DEFINE_integer("width", 64, "Of the network.")
_CROPS = flags.DEFINE_integer("crops", 64, "Of the photographs, 224 pixels wide.")

CONDITIONS = ("natural/imagenet", "spectral/low_pass/0.3", "spectral/high_pass/0.9")
BASE = ("float32", 1, 16)  # precision, devices, batch per device
VARIANTS = [
    ("float32", 1, 1),
    ("float32", 1, 7),
    ("float32", 1, 64),
    ("float32", 8, 8),
    ("tf32", 1, 16),
    ("bfloat16", 1, 16),
]


def crops():
    generator = np.random.default_rng(0)
    whole = [getattr(skimage.data, name)() for name in photographs.PHOTOGRAPHS]
    found = []
    for index in range(_CROPS.value):
        photograph = whole[index % len(whole)]
        top, left = generator.integers(0, np.subtract(photograph.shape[:2], 224))
        found.append(photograph[top : top + 224, left : left + 224])
    return np.stack(found)


def variables(images):
    """Return a random network whose classifier is centred on the images."""
    generator = np.random.default_rng(0)
    state = {
        name: small_study.random_tensor(generator, name, leaf.shape)
        for name, leaf in mapping.leaves(_WIDTH.value, 1000).items()
    }
    apply = jax.jit(resnet.apply_function(_WIDTH.value))
    few = images[:16].astype(np.float32) / 255
    tree = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    logits = np.asarray(apply(checkpoints.fold(tree), few))
    state["fc.bias"] = state["fc.bias"] - logits.mean(0)
    return checkpoints.fold(mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD))


def batches(images, size):
    ids = labels.example_ids([str(index) for index in range(len(images))])
    for start in range(0, len(images), size):
        part = images[start : start + size]
        pad = size - len(part)
        yield {
            "image": np.pad(part, [(0, pad), (0, 0), (0, 0), (0, 0)]),
            "labels": {"imagenet": np.zeros((size, 1), np.int32)},
            "id": np.pad(ids[start : start + size], [(0, pad), (0, 0)]),
            "mask": np.arange(size) < len(part),
        }


def decisions(tree, images, precision, devices, per_device):
    """Return predicted classes and margins, conditions after one another."""
    spread = sharding.spread("shard_map", jax.devices()[:devices])
    apply = resnet.apply_function(_WIDTH.value, precision=precision)
    models = {"m": evaluate.Model("m", apply, spread.replicate(tree))}
    cells = {benchmark: ["m"] for benchmark in benchmarks.select(CONDITIONS)}
    size = min(devices, jax.device_count()) * per_device
    found = {benchmark.name: [] for benchmark in cells}
    for o in evaluate.evaluate(models, cells, batches(images, size), spread):
        found[o.benchmark.name].append(o.record)
    return tuple(
        np.concatenate(
            [
                np.concatenate([getattr(r, column) for r in records])[: len(images)]
                for records in found.values()
            ]
        )
        for column in ("predicted", "margin")
    )


def main(argv):
    del argv
    images = crops()
    tree = variables(images)
    apply = jax.jit(resnet.apply_function(_WIDTH.value))
    spread = np.asarray(apply(tree, images[:16].astype(np.float32) / 255)).std()
    predicted, margins = decisions(tree, images, *BASE)
    near = (margins < 1e-4 * spread).mean()
    print(
        f"{jax.devices()[0].device_kind}, width {_WIDTH.value}: {predicted.size} "
        f"decisions for {len(set(predicted.tolist()))} classes, "
        f"{near:.2%} with a margin below 1e-4 of the spread"
    )
    print("precision  devices  batch  changed decisions  largest change / spread")
    for precision, devices, batch in VARIANTS:
        others, close = decisions(tree, images, precision, devices, batch)
        changed = (others != predicted).mean()
        largest = np.abs(close - margins).max() / spread
        print(
            f"{precision:9}  {devices:7}  {batch:5}  {changed:17.2%}  {largest:23.1e}",
            flush=True,
        )


if __name__ == "__main__":
    app.run(main)
