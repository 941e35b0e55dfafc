"""What would another epsilon of the batch norms do to the first block?

The stem's batch norm is left as it is: an epsilon that is wrong there shows in it.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from biases_jax.models import activations
from biases_jax.parity import runs

BLOCK = activations.BLOCKS[0]
MORE = 1e-3  # added to each variance: small beside them, so what it does is linear


def changed(
    tree: Mapping[str, Any], sizes: activations.Sizes, images: activations.Pixels
) -> runs.Values:
    """Return float32 values of the first block, under a larger epsilon in all blocks.

    `tree` holds unfolded variables of the network, `images` RGB in [0, 1].
    """
    statistics = {
        block: {
            norm: {**values, "var": np.asarray(values["var"]) + np.float32(MORE)}
            for norm, values in norms.items()
        }
        for block, norms in tree["batch_stats"].items()
        if block in activations.BLOCKS
    }
    statistics = {**tree["batch_stats"], **statistics}
    other = {**tree, "batch_stats": statistics}
    answers = activations.answers(other, sizes, images, "float32")
    return runs.of(answers, "jax", "float32", {}).values[BLOCK]
