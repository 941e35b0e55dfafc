"""What is in the small networks' files, and as which variables were they trained?"""

import functools
import pathlib

import numpy as np

from biases_jax.miniature import classes, export
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from convert import mapping, safetensors_file


@functools.cache
def read(name):
    """Return a network's tensors by PyTorch's names, and the file's metadata."""
    return safetensors_file.read(pathlib.Path(export.WEIGHTS) / f"{name}.safetensors")


def variables(name):
    """Return `params` and `batch_stats` as `network.Trained` has them, of 16 classes.

    Initialising the network operation by operation takes many seconds; this does not.
    """
    tree = mapping.to_flax(read(name)[0], IMAGENET_MEAN, IMAGENET_STD)
    wide = tree["params"]["fc"]
    places = np.array(classes.INDICES)
    narrow = {"kernel": wide["kernel"][:, places], "bias": wide["bias"][places]}
    return {**tree, "params": {**tree["params"], "fc": narrow}}
