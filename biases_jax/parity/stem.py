"""How much noise would products of rounded factors make in the first convolution?

What rounding does there depends on the filters, since those that look for edges
cancel: the noise is computed for the network at hand, not taken from a table.
"""

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np
from jax import lax

from biases_jax.models import activations, checkpoints, convolution
from biases_jax.parity import differences

MANTISSA = {"TF32": 10, "bfloat16": 7}  # bits of a factor
EXPONENT = 8


def noise(
    tree: Mapping[str, Any], stem_stride: int, images: activations.Pixels
) -> dict[str, float]:
    """Return the relative difference of `conv1` under each rounding of `MANTISSA`.

    Args:
        tree: unfolded variables of the network.
        stem_stride: of the first convolution.
        images: RGB in [0, 1]; a few are enough.
    """
    variables = checkpoints.fold(tree)
    layer, normalize = variables["params"]["conv1"], variables["normalize"]
    pixels = images[: activations.IMAGES_PER_STEP]
    x = (pixels - normalize["mean"]) / normalize["std"]

    def conv1(bits: int) -> np.ndarray:
        factors = (_rounded(array, bits) for array in (x, layer["kernel"]))
        y = convolution.direct(*factors, stem_stride, lax.Precision.HIGHEST)
        return np.asarray(y) * layer["scale"] + layer["shift"]

    exact = conv1(np.finfo(np.float32).nmant)
    return {
        name: differences.relative(conv1(bits), exact)
        for name, bits in MANTISSA.items()
    }


def _rounded(array: np.ndarray, bits: int) -> jax.Array:
    return lax.reduce_precision(array, EXPONENT, bits)
