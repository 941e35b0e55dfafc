"""Are these the weights that the paper measured, told without any image?

The authors published the L1 and L2 norms of the sixteen 3x3 kernels of all 48 models
(their benchmark.csv). The two models that are most alike differ by 5.8 % in some layer.
"""

import importlib.resources
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

_DATA = json.loads(
    importlib.resources.files("biases_jax")
    .joinpath("data/weight_norms.json")
    .read_text(encoding="utf-8")
)

LAYERS: tuple[str, ...] = tuple(_DATA["layers"])  # 'layer1.0.conv2'
# Of each model, [16, 2]: the two norms of each layer.
NORMS: dict[str, np.ndarray] = {n: np.array(v) for n, v in _DATA["models"].items()}
# The published norms are sums of up to 2,359,296 float32 numbers in an unknown order.
TOLERANCE = 1e-5

VERIFIED = "verified"
OTHER = "not the paper's weights"
NONE = "no fingerprint"


class Verdict(NamedTuple):
    """What the norms say.

    `nearest` is the published model with the smallest `difference`: the largest of the
    relative differences over layers and norms. `layer` is where that of the model
    itself is largest, of the nearest one if the model has none. All are None for a
    network of another width.
    """

    status: str
    nearest: str | None = None
    difference: float | None = None
    layer: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the verdict as JSON has it, and as a text."""
        return {**self._asdict(), "verdict": str(self)}

    def __str__(self) -> str:
        if self.status == VERIFIED or self.nearest is None:
            return self.status
        if self.difference <= TOLERANCE:
            return f"{self.status} (these are those of {self.nearest})"
        if self.status == NONE:
            return self.status
        return (
            f"{self.status} (differ most in {self.layer}; nearest: {self.nearest}, by "
            f"{self.difference:.2g})"
        )


def check(name: str, tree: Mapping[str, Any]) -> Verdict:
    """Return whether unfolded variables have the norms published for a model.

    Args:
        name: of the model; one that is not of the 48 has no fingerprint.
        tree: as `mapping.to_flax` returns it, of any width.
    """
    found = norms(tree)
    if found is None:
        return Verdict(NONE)
    differences = {n: np.abs(found / known - 1) for n, known in NORMS.items()}
    nearest = min(differences, key=lambda n: differences[n].max())
    largest = float(differences[nearest].max())
    own = differences.get(name, differences[nearest]).max(axis=1)
    status = NONE
    if name in NORMS:
        status = VERIFIED if own.max() <= TOLERANCE else OTHER
    return Verdict(status, nearest, largest, LAYERS[int(own.argmax())])


def norms(tree: Mapping[str, Any]) -> np.ndarray | None:
    """Return the norms of the 3x3 kernels, [16, 2]; None if the width is not 64."""
    if tree["params"]["conv1"]["kernel"].shape[-1] != 64:
        return None
    kernels = [tree["params"][_block(layer)]["conv2"]["kernel"] for layer in LAYERS]
    return np.array([_norms(kernel) for kernel in kernels])


def _block(layer: str) -> str:
    """The Flax name of the block of 'layer1.0.conv2'."""
    return layer.removesuffix(".conv2").replace(".", "_")


def _norms(kernel: np.ndarray) -> tuple[float, float]:
    values = kernel.astype(np.float64)
    return float(np.abs(values).sum()), float(np.sqrt(np.square(values).sum()))
