"""What did people answer, by the published data, where models are compared with them?

Accuracies, rates and shape biases are fractions. Sources are in data/README.md.
"""

import dataclasses
import functools
import importlib.resources
import json
import statistics
from collections.abc import Mapping
from typing import Any

from biases_jax.sources import model_vs_human


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

NONE = ("0",)  # how trials name the condition where a set has none


def mean(figure: str) -> float:
    """Return a figure of `ImageSet`, such as 'accuracy', as the mean over all sets."""
    return statistics.fmean(getattr(found, figure) for found in SETS.values())


@functools.cache
def condition(name: str, text: str) -> str:
    """Return the condition of a set that a text means: '0.90' is 0.9, 'true' is True.

    Args:
        name: one of `SETS`.
        text: as it stands in a file or in its name.

    Raises:
        ValueError: the set has no such condition.
    """
    known = tuple(SETS[name].conditions)
    place = model_vs_human.index_of(text, known)
    if place < 0:
        raise ValueError(
            f"got condition {text!r}, expected one that {name} has: {', '.join(known)}"
        )
    return known[place]


def _image_set(name: str, data: Mapping[str, Any]) -> ImageSet:
    found = data["conditions"]
    order = model_vs_human.SETS[name].conditions or NONE
    return ImageSet(
        observers=data["n_subjects"],
        conditions={c: Condition(found[c]["n"], found[c]["human_acc"]) for c in order},
        excluded=model_vs_human.SETS[name].excluded,
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
