"""Which corruption is had by a name, a severity and a flavour?"""

import dataclasses
import difflib
import importlib

from biases_jax.corruptions import flavours, names
from biases_jax.corruptions.corruption import Corruption

NAMES = (*names.NINETEEN, *names.IMAGENET_CBAR)


def get(name: str, severity: int, flavour: str = "original") -> Corruption:
    """Return a corruption of ImageNet-C or ImageNet-C-bar.

    Args:
        name: one of `NAMES`; of the same name is the file that tells about it.
        severity: 1 to 5, as published.
        flavour: "original", as the published images were made, or
            "imagecorruptions", as that package makes them; many are alike.

    Raises:
        ValueError: there is no such corruption, severity or flavour.
    """
    if name not in NAMES:
        near = difflib.get_close_matches(str(name), NAMES)
        raise ValueError(
            f"got corruption {name!r}, expected one of {', '.join(sorted(NAMES))}"
            + (f"; nearest: {', '.join(near)}" if near else "")
        )
    flavours.demand(flavour)
    module = importlib.import_module(f"biases_jax.corruptions.{name}")
    found = getattr(module, "".join(part.capitalize() for part in name.split("_")))
    fields = {field.name for field in dataclasses.fields(found)}
    return found(severity, **({"flavour": flavour} if "flavour" in fields else {}))
