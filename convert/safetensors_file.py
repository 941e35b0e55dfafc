"""What is in a .safetensors file?"""

import pathlib

import numpy as np
import safetensors

from convert import errors


def read(path: pathlib.Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Return the tensors, and the texts that the file holds beside them.

    Raises:
        CheckpointError: the file is broken or has a type that NumPy lacks.
    """
    try:
        with safetensors.safe_open(path, framework="np") as opened:
            names = opened.keys()
            return {name: opened.get_tensor(name) for name in names}, dict(
                opened.metadata() or {}
            )
    except (safetensors.SafetensorError, TypeError, AttributeError) as error:
        raise errors.CheckpointError(f"got a broken .safetensors: {error}") from error
