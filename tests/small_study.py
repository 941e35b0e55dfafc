"""Which small run serves the tests? Two random networks on four photographs.

The networks have random filters and a class-mean read-out of a few crops, so that
their accuracy on other crops of the same photographs means something.
"""

import hashlib
import json
import math
import os

import numpy as np
from etils import epath
from safetensors.numpy import save

from biases_jax import labels, photographs
from biases_jax.models import checkpoints, resnet, zoo
from biases_jax.sources import preprocess
from convert import mapping

LEARNT = 2  # crops of each photograph, for the read-out
WIDTH = 16
FEATURES = 32 * WIDTH  # of the last block
MODELS = ("random_0", "random_1")
IMAGES = "photographs/val"
WEIGHTS = "weights"


def prepare(workdir: epath.Path):
    """Write 24 JPEG crops and two PyTorch-named checkpoints, unless they are there."""
    done = workdir / WEIGHTS / f"{MODELS[-1]}.safetensors"
    if done.exists():
        return
    crops = {name: photographs.crops(name) for name in photographs.PHOTOGRAPHS}
    _write_images(workdir / IMAGES, crops)
    (workdir / WEIGHTS).mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        content = save(_state_dict(name, crops), metadata={"format": "pt"})
        part = workdir / WEIGHTS / f"{name}.{os.getpid()}.part"
        part.write_bytes(content)
        part.replace(workdir / WEIGHTS / f"{name}.safetensors")


def _write_images(root: epath.Path, crops: dict[str, list[bytes]]):
    for name, files in crops.items():
        folder = root / photographs.PHOTOGRAPHS[name]
        folder.mkdir(parents=True, exist_ok=True)
        for index, content in enumerate(files):
            (folder / f"{name}_{index}.JPEG").write_bytes(content)
    count = len(photographs.PHOTOGRAPHS)
    counts = {"classes": count, "examples": photographs.CROPS * count}
    declared = {"source": "imagenet", **counts}
    (root / "dataset.json").write_text(json.dumps(declared) + "\n")


def _state_dict(model: str, crops: dict[str, list[bytes]]) -> dict[str, np.ndarray]:
    """Return random filters, and the class-mean read-out of what they see."""
    seed = int.from_bytes(hashlib.sha256(model.encode()).digest()[:8])
    generator = np.random.default_rng(seed)
    state = {
        name: random_tensor(generator, name, leaf.shape)
        for name, leaf in mapping.leaves(WIDTH, FEATURES).items()
    }
    state["fc.weight"] = np.eye(FEATURES, dtype=np.float32)
    state["fc.bias"] = np.zeros(FEATURES, np.float32)
    classes = {name: labels.index_of(n) for name, n in photographs.PHOTOGRAPHS.items()}
    means = {
        classes[name]: _features(state, files[:LEARNT]).mean(0)
        for name, files in crops.items()
    }
    state["fc.weight"], state["fc.bias"] = _nearest_mean(means)
    return state


def random_tensor(
    generator: np.random.Generator, name: str, shape: tuple[int, ...]
) -> np.ndarray:
    """Return a float32 tensor that keeps the size of activations, as trained ones do.

    `name` and `shape` are those of a tensor of torchvision's ResNet-50.
    """
    if len(shape) > 1:
        fan_in = math.prod(shape[1:])
        values = generator.normal(0, math.sqrt(2 / fan_in), shape)
    elif name.endswith("running_var"):
        values = np.exp(generator.normal(0, 0.2, shape))
    elif name.endswith("bn3.weight"):  # or the sum of the blocks would grow
        values = generator.normal(0.3, 0.05, shape)
    elif name.endswith("weight") and len(shape) == 1:
        values = generator.normal(1, 0.1, shape)
    else:
        values = generator.normal(0, 0.1, shape)
    return values.astype(np.float32)


def _features(state: dict[str, np.ndarray], files: list[bytes]) -> np.ndarray:
    """Return the pooled features of images, for a state whose `fc` is the identity."""
    tree = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    pixels = [preprocess.decode(file, "pil_bilinear_256_224") for file in files]
    images = np.stack(pixels).astype(np.float32) / np.float32(255)
    return np.asarray(
        resnet.apply_function(WIDTH, FEATURES)(checkpoints.fold(tree), images)
    )


def _nearest_mean(means: dict[int, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the linear read-out that picks the class with the nearest mean."""
    centre = np.mean(list(means.values()), axis=0)
    spread = np.mean([np.sum((mean - centre) ** 2) for mean in means.values()])
    weight = np.zeros((len(labels.WNIDS), FEATURES), np.float32)
    bias = np.full(len(labels.WNIDS), -100, np.float32)  # all other classes: never
    for index, mean in means.items():
        offset = mean - centre
        weight[index] = offset / spread
        bias[index] = -np.dot(offset, mean + centre) / 2 / spread
    return weight, bias
