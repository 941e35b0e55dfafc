"""What did people answer, by the published data, where models are compared with them?

Accuracies, rates and shape biases are fractions. Sources are in data/README.md.
"""

import dataclasses
import importlib.resources
import json
import math
import statistics
from collections.abc import Mapping
from typing import Any


@dataclasses.dataclass(frozen=True)
class Condition:
    """How often people were right on the `n` images of a condition."""

    n: int
    accuracy: float


@dataclasses.dataclass(frozen=True)
class ImageSet:
    """What people did on one of the seventeen image sets.

    `conditions` are in order, the undistorted one first; those `excluded` count for
    no figure over conditions, as they are undistorted or nearly impossible.
    `accuracy` is over the others, pooled, `accuracy_all` over all. `unanswered` is
    the share of trials without an answer. The last three are means over all pairs of
    observers.
    """

    observers: int
    conditions: Mapping[str, Condition]
    excluded: tuple[str, ...]
    accuracy: float
    accuracy_all: float
    unanswered: float
    accuracy_difference: float
    observed_consistency: float
    error_consistency: float

    @property
    def used(self) -> tuple[str, ...]:
        """The conditions that are not excluded, in order."""
        return tuple(name for name in self.conditions if name not in self.excluded)


@dataclasses.dataclass(frozen=True)
class ShapeBias:
    """The share of decisions for the shape among those for shape or texture.

    `pooled` is that of all `shape` + `texture` decisions, the others are means.
    """

    pooled: float
    shape: int
    texture: int
    mean_over_observers: float
    per_observer: Mapping[str, float]
    per_category: Mapping[str, float]


@dataclasses.dataclass(frozen=True)
class CriticalBand:
    """Which frequencies people need to recognise objects.

    `thresholds` of the averaged observers, from the lowest frequency to the highest;
    `bandwidth` in octaves, `centre_frequency` in cycles per image.
    """

    observers: int
    thresholds: tuple[int, ...]
    bandwidth: float
    centre_frequency: float
    peak_noise_sensitivity: float


# Subramanian et al. 2023; the fit to the average of all observers.
CRITICAL_BAND = CriticalBand(14, (0, 0, 0, 0, 2, 2, 0), 1.00, 39.6, 1.00)

_DOUBLINGS = (1, 2, 4, 8, 16, 32, 64, 128)
_CONDITIONS = {  # of the sets that have some; the undistorted, then ever harder ones
    "colour": ("cr", "bw"),
    "contrast": ("c100", "c50", "c30", "c15", "c10", "c05", "c03", "c01"),
    "high-pass": ("inf", "3.0", "1.5", "1.0", "0.7", "0.55", "0.45", "0.4"),
    "low-pass": ("0", "1", "3", "5", "7", "10", "15", "40"),
    "phase-scrambling": ("0", "30", "60", "90", "120", "150", "180"),
    "power-equalisation": ("0", "pow"),
    "false-colour": ("True", "False"),
    "rotation": ("0", "90", "180", "270"),
    "eidolonI": tuple(f"{reach}-10-10" for reach in _DOUBLINGS),
    "eidolonII": tuple(f"{reach}-3-10" for reach in _DOUBLINGS),
    "eidolonIII": tuple(f"{reach}-0-10" for reach in _DOUBLINGS),
    "uniform-noise": ("0.0", "0.03", "0.05", "0.1", "0.2", "0.35", "0.6", "0.9"),
}


def mean(figure: str) -> float:
    """Return a figure of `ImageSet`, such as 'accuracy', as the mean over all sets."""
    return statistics.fmean(getattr(found, figure) for found in SETS.values())


def condition(name: str, text: str) -> str:
    """Return the condition of a set that a text means: '0.90' is 0.9, 'true' is True.

    Tables were written by programs that spell numbers and truth values differently.

    Args:
        name: one of `SETS`.
        text: as it stands in a file or in its name.

    Raises:
        ValueError: the set has no such condition.
    """
    known = SETS[name].conditions
    found = [text] if text in known else [c for c in known if _alike(c, text)]
    if not found:
        raise ValueError(
            f"got condition {text!r}, expected one that {name} has: {', '.join(known)}"
        )
    return found[0]


def _alike(one: str, other: str) -> bool:
    number = _number(one)
    if not math.isnan(number):
        return number == _number(other)
    return one.casefold() == other.casefold()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _image_set(name: str, data: Mapping[str, Any]) -> ImageSet:
    found = data["conditions"]
    order = _CONDITIONS.get(name, tuple(found))
    return ImageSet(
        observers=data["n_subjects"],
        conditions={c: Condition(found[c]["n"], found[c]["human_acc"]) for c in order},
        excluded=tuple(data["excluded"]),
        accuracy=data["human_acc_used"],
        accuracy_all=data["human_acc_all"],
        unanswered=data["na_frac"],
        accuracy_difference=data["hh_acc_diff_sq"],
        observed_consistency=data["hh_observed_consistency"],
        error_consistency=data["hh_error_consistency"],
    )


def _shape_bias(data: Mapping[str, Any]) -> ShapeBias:
    return ShapeBias(
        pooled=data["pooled"],
        shape=data["shape"],
        texture=data["texture"],
        mean_over_observers=data["mean_over_subjects"],
        per_observer=data["per_subject"],
        per_category=data["per_shape_category"],
    )


def _data() -> dict[str, Any]:
    folder = importlib.resources.files("biases_jax").joinpath("data")
    file = folder.joinpath("model_vs_human_reference.json")
    return json.loads(file.read_text(encoding="utf-8"))


_DATA = _data()

# The seventeen sets in the published order, and the shape bias on one of them.
SETS: dict[str, ImageSet] = {name: _image_set(name, _DATA[name]) for name in _DATA}
SHAPE_BIAS: ShapeBias = _shape_bias(_DATA["cue-conflict"]["human_shape_bias"])
