"""On which checkpoints and images is the network compared with torch's?"""

import functools

import numpy as np
import torch_oracle

from biases_jax.models import checkpoints
from convert import mapping

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
WIDTH, CLASSES = 8, 20  # the arithmetic of every layer is that of width 64


@functools.cache
def state_dict(seed=0, width=WIDTH, classes=CLASSES):
    return torch_oracle.random_state_dict(seed, width, classes)


def variables(state, dtype=np.float32):
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    return checkpoints.fold(mapping.to_flax(arrays, MEAN, STD), dtype)


def images(count, side, dtype=np.float32, seed=0):
    """Coarse and fine noise in [0, 1]: unlike fine noise alone, images differ."""
    rng = np.random.default_rng(seed)
    coarse = rng.random((count, 8, 8, 3)).repeat(side // 8, 1).repeat(side // 8, 2)
    return (0.5 * coarse + 0.5 * rng.random((count, side, side, 3))).astype(dtype)


def torch_answers(state, pixels, stem_stride=2):
    return torch_oracle.answers(state, pixels, MEAN, STD, stem_stride)
