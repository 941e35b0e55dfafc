"""Can what an archive says of a run's stages be true?"""

from collections.abc import Mapping, Sequence
from typing import Any

from biases_jax.parity import runs

OF_FUNCTIONS = ("logits", runs.GRADIENT)


def check(precision: Any, stages: Mapping[str, Sequence[Any]], pixels: int) -> None:
    """Check a run's precision and its stages, each [size, channels, stride].

    `pixels` is the number of values of an image.

    Raises:
        ValueError: the precision is unknown, stages lack, or a size cannot be.
    """
    if precision not in runs.PRECISIONS:
        known = ", ".join(runs.PRECISIONS)
        raise ValueError(f"got precision {precision!r}, expected one of {known}")
    expected = OF_FUNCTIONS if len(stages) <= len(OF_FUNCTIONS) else runs.NAMES
    if set(stages) != set(expected):
        raise ValueError(
            f"got {precision} without {sorted(set(expected) - set(stages))} and with "
            f"{sorted(set(stages) - set(expected))}, expected {', '.join(expected)}"
        )
    for name, numbers in stages.items():
        _check_sizes(f"{precision} {name}", numbers)
    for name in {"normalized", runs.GRADIENT} & set(stages):
        if stages[name][0] != pixels:
            raise ValueError(
                f"got {stages[name][0]} values of {name}, expected {pixels} as the "
                "images have"
            )


def _check_sizes(name: str, numbers: Sequence[Any]) -> None:
    whole = len(numbers) == 3 and all(type(n) is int and n >= 1 for n in numbers)
    if not whole or numbers[0] % numbers[1] or numbers[2] > numbers[0]:
        raise ValueError(
            f"got size, channels and stride {list(numbers)} of {name}, expected three "
            "positive integers, the size a multiple of the channels and at least the "
            "stride"
        )
