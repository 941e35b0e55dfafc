"""How do the small networks become files like those that researchers publish?"""

import importlib.resources
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from etils import epath
from safetensors.numpy import save

from biases_jax import labels
from biases_jax.miniature import classes, training
from biases_jax.miniature.recipes import Recipe
from biases_jax.models import checkpoints
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD
from convert import mapping

WEIGHTS = epath.Path(str(importlib.resources.files("biases_jax") / "miniature/weights"))
NEVER = -100.0  # the logit of ImageNet's other classes
_PLACES = {4: (3, 2, 0, 1), 2: (1, 0), 1: (0,)}  # from Flax's axes to PyTorch's


def write(
    recipe: Recipe,
    variables: training.Trees,
    curve: list[training.Curve],
    right: float,
    folder: epath.Path,
) -> None:
    """Write a network with PyTorch's names, float16, and its log beside the tensors."""
    log = {
        "recipe": recipe.name,
        "samples": recipe.samples,
        "validation_accuracy": right,
        "curve": [list(point) for point in curve],
    }
    metadata = {"format": "pt", "stem_stride": "4", "training": json.dumps(log)}
    content = save(state_dict(variables), metadata=metadata)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{recipe.name}.part"
    part.write_bytes(content)
    part.replace(folder / f"{recipe.name}.safetensors")


def state_dict(variables: training.Trees) -> dict[str, np.ndarray]:
    """Return torchvision's names and axes, float16, with ImageNet's 1000 classes."""
    width = variables["params"]["conv1"]["kernel"].shape[-1]
    wide = {**variables, "params": {**variables["params"], "fc": _thousand(variables)}}
    return {
        name: _torch(_at(wide, leaf.path), len(leaf.shape))
        for name, leaf in mapping.leaves(width, len(labels.WNIDS)).items()
    }


def folded(state: Mapping[str, np.ndarray]) -> training.Trees:
    """Return the variables with which `models.resnet` measures a file's tensors."""
    return checkpoints.fold(mapping.to_flax(state, IMAGENET_MEAN, IMAGENET_STD))


def _torch(array: np.ndarray, rank: int) -> np.ndarray:
    # In C order: safetensors writes memory as it lies, whatever the strides.
    return array.transpose(_PLACES[rank]).astype(np.float16, order="C")


def _thousand(variables: training.Trees) -> dict[str, np.ndarray]:
    """Return the read-out with each kind at its class, and no other class ever."""
    kernel, bias = (
        np.asarray(variables["params"]["fc"][k]) for k in ("kernel", "bias")
    )
    places = list(classes.INDICES)
    wide = np.zeros((kernel.shape[0], len(labels.WNIDS)), np.float32)
    wide[:, places] = kernel
    offsets = np.full(len(labels.WNIDS), NEVER, np.float32)
    offsets[places] = bias
    return {"kernel": wide, "bias": offsets}


def _at(tree: Any, path: tuple[str, ...]) -> np.ndarray:
    for name in path:
        tree = tree[name]
    return np.asarray(tree)
