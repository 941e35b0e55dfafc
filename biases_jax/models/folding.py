"""How do batch norms become the scales and shifts that the network takes?"""

from collections.abc import Mapping
from typing import Any

import numpy as np

EPSILON = 1e-5  # of batch norm; the same in all 48 models
# Convolution and batch norm on disk, and the layer they fold into.
FOLDED = (
    ("conv1", "bn1", "conv1"),
    ("conv2", "bn2", "conv2"),
    ("conv3", "bn3", "conv3"),
    ("downsample_conv", "downsample_bn", "downsample"),
)


def fold(tree: Mapping[str, Any], dtype: Any = np.float32) -> dict[str, Any]:
    """Return the variables with every batch norm folded to a scale and a shift.

    conv(x, kernel) * scale + shift equals the batch norm in inference. Both factors
    are computed in float64 and rounded once.

    Args:
        tree: unfolded, as `convert.mapping.to_flax` gives it, NumPy or JAX arrays.
        dtype: of all returned leaves.

    Returns:
        `{'params', 'normalize'}`, nested dicts of NumPy arrays.
    """
    params, statistics = tree["params"], tree["batch_stats"]
    folded = _fold_convolutions(params, statistics, dtype)
    for name, block in params.items():
        if name.startswith("layer"):
            folded[name] = _fold_convolutions(block, statistics[name], dtype)
    folded["fc"] = _cast(params["fc"], dtype)
    return {"params": folded, "normalize": _cast(tree["normalize"], dtype)}


def _fold_convolutions(params, statistics, dtype) -> dict[str, Any]:
    folded = {}
    for convolution, norm, name in FOLDED:
        if convolution not in params:
            continue
        gamma, beta = _float64(params[norm]["scale"], params[norm]["bias"])
        mean, var = _float64(statistics[norm]["mean"], statistics[norm]["var"])
        scale = gamma / np.sqrt(var + EPSILON)
        layer = {**params[convolution], "scale": scale, "shift": beta - mean * scale}
        folded[name] = _cast(layer, dtype)
    return folded


def _float64(*arrays) -> list[np.ndarray]:
    return [np.asarray(array, np.float64) for array in arrays]


def _cast(leaves: Mapping[str, Any], dtype) -> dict[str, np.ndarray]:
    return {
        name: np.asarray(leaf).astype(dtype, copy=False)
        for name, leaf in leaves.items()
    }
