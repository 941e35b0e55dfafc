"""Does PyTorch read the same weights from a converted model's own file?"""

import argparse
import hashlib
import pathlib
import pickle
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from biases_jax.models import activations, checkpoints, spec
from convert import errors, mapping, state_dict, torch_network

# What torch raises on files that it cannot read, or does not read without running them.
REFUSALS = (pickle.UnpicklingError, RuntimeError, ValueError, EOFError)
AGAIN = "convert the model again, with the file in its place"


class Loaded(NamedTuple):
    """A network, the sum of its weights, and who read the file.

    `network` takes normalised NCHW images and is in float64, which holds all files
    exactly. `weights_sha256` is that of the converted checkpoint, but over the tensors
    that were read here. `reader` is 'torch', or says why it is this project's.
    """

    network: Any
    weights_sha256: str
    reader: str


def load(manifest: Mapping[str, Any]) -> Loaded:
    """Build the network from the files that a model was converted from.

    Torch reads them itself, weights only, so that our own reader is compared, too.

    Args:
        manifest: of the converted checkpoint, which names files, sums and rules.

    Raises:
        ImportError: torch is not installed.
        CheckpointError: a file is gone or changed, or holds another network.
    """
    state: dict[str, np.ndarray] = {}
    readers = []
    for source in manifest["sources"].values():
        values, reader = _read(_unchanged(source), source)
        state |= values
        readers.append(reader)
    try:
        tree = mapping.to_flax(state, manifest["mean"], manifest["std"])
    except ValueError as error:
        raise errors.CheckpointError(f"as torch reads them, {error}") from error
    sizes = (manifest[name] for name in activations.Sizes._fields)
    network = torch_network.resnet50(*sizes).double()
    tensors = {
        name: torch_network.library().from_numpy(np.array(state[name], np.float64))
        for name in mapping.leaves(manifest["width"], manifest["num_classes"])
    }
    # Counters of training, which older files lack, play no part in the answers.
    network.load_state_dict({**network.state_dict(), **tensors}, strict=True)
    own = [reader for reader in readers if reader != "torch"]
    return Loaded(network, checkpoints.weights_sha256(tree), (own or readers)[0])


def _unchanged(source: Mapping[str, Any]) -> pathlib.Path:
    path = pathlib.Path(source["path"])
    if not path.is_file():
        raise errors.CheckpointError(
            f"{path}: the file that was converted is gone, so PyTorch cannot read it; "
            "put it back, or compare with an archive (--write_reference elsewhere, "
            "--reference here)"
        )
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found != source["sha256"]:
        raise errors.CheckpointError(
            f"{path}: got sha256 {found}, expected {source['sha256']}: it was changed "
            f"since its conversion; {AGAIN}"
        )
    return path


def _read(
    path: pathlib.Path, source: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], str]:
    """Return the weights by torchvision's names, and who read them."""
    rename = tuple((pattern, text) for pattern, text in source["rename"])
    rules = spec.Rules((source["root"],), rename, tuple(source["drop"]))
    try:
        tree = _torch_tree(path, source["container"])
    except REFUSALS as error:
        arrays, _ = state_dict.select(state_dict.read(path).tree, rules)
        why = str(error).strip().partition("\n")[0]
        return arrays, f"this project's reader, torch refused {path.name}: {why:.200}"
    found = state_dict.entries(tree, rules)
    return {name: _array(value) for name, value in found.values.items()}, "torch"


def _torch_tree(path: pathlib.Path, container: str) -> Any:
    torch = torch_network.library()
    if container == "safetensors":
        from safetensors import torch as safetensors_torch  # which imports torch

        return safetensors_torch.load_file(path)
    # A published file has its training's settings in it; a namespace runs nothing.
    with torch.serialization.safe_globals([argparse.Namespace]):
        return torch.load(path, weights_only=True, map_location="cpu")


def _array(value: Any) -> np.ndarray:
    """Return a tensor's values; NumPy lacks bfloat16, which float32 holds exactly."""
    torch = torch_network.library()
    if not isinstance(value, torch.Tensor):
        raise errors.CheckpointError(
            f"torch reads a {type(value).__name__} where the conversion had a tensor"
        )
    value = value.detach()
    return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
