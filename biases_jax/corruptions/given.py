"""Are the draws that someone gives a corruption such as it would draw itself?"""

from typing import Any

import jax
import numpy as np

from biases_jax.types import Array

KINDS = {"b": "bool", "i": "integer", "u": "integer", "f": "float"}  # by NumPy's letter
RECORDED = "param_"  # how parameters begin from which an archive's draws were made
PADDED = ("grid", "ray_lengths")  # `sample` fills them to one size, archives do not


def demand(draws: Any, expected: dict[str, Any], name: str) -> None:
    """Raise ValueError unless `draws` has the names, shapes and kinds of `expected`.

    What is of any width passes: archives are of 64 bits. So do further names that
    begin with `RECORDED`. Values are not looked at.
    """
    wanted = {key: described(value, key) for key, value in expected.items()}
    got = draws
    if isinstance(draws, dict):
        got = {key: described(value, key) for key, value in draws.items()}
        if all(
            got.get(key) == wanted.get(key)
            for key in {*wanted, *got}
            if key in wanted or not str(key).startswith(RECORDED)
        ):
            return
    raise ValueError(
        f"got draws of {name} {_listed(got)}, expected {_listed(wanted)}; give these, "
        "or have them from `sample`"
    )


def described(value: Any, name: str = "") -> str:
    """Return an array's kind and shape, 'float (224, 224)', of `PADDED` the axes."""
    if not isinstance(value, jax.ShapeDtypeStruct | Array):
        value = np.asarray(value)
    kind = KINDS.get(np.dtype(value.dtype).kind, value.dtype)
    if name in PADDED:
        return f"{kind} of {len(value.shape)} axes"
    return f"{kind} {value.shape}"


def _listed(found):
    if not isinstance(found, dict):
        return repr(found)
    return ", ".join(f"{key}: {value}" for key, value in found.items()) or "none"
