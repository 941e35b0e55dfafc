"""Which two readings are there of ImageNet-C's corruptions?

The published images come from the "original" functions. Those of the package
"imagecorruptions" differ in a few corruptions, whose classes have the field `flavour`.
"""

FLAVOURS = ("original", "imagecorruptions")


def demand(flavour: str) -> None:
    """Raise ValueError unless it is one of `FLAVOURS`."""
    if flavour not in FLAVOURS:
        raise ValueError(f"got flavour {flavour!r}, expected one of {FLAVOURS}")
