"""Which degradations does model-vs-human have, and in which conditions?

Conditions and file names as published (https://github.com/bethgelab/model-vs-human);
the first condition is the undistorted one, or of eidolons the one nearest to it.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, UInt8

from biases_jax.miniature import manipulations as m
from biases_jax.miniature.eidolons import eidolon

Picture = UInt8[np.ndarray, "h w 3"]
Values = Float[np.ndarray, "..."]  # [h, w], or [h, w, 3] where there is colour


class Degraded(NamedTuple):
    """A set of `<set>/dnn/session-1`: `experiment` and `code` are fields of its names.

    `change` takes an image, uint8, a condition, a generator and the mean amplitude
    spectrum of all images, and returns values in [0, 1].
    """

    experiment: str
    code: str
    conditions: tuple[str, ...]
    change: Callable[[Picture, str, np.random.Generator, m.Grey], Values]


def _colour(image, condition, rng, amplitude):
    return image / 255 if condition == "cr" else m.grey(image)


def _contrast(image, condition, rng, amplitude):
    return m.contrast(m.grey(image), int(condition[1:]) / 100)


def _low_pass(image, condition, rng, amplitude):
    return m.low_pass(m.grey(image), float(condition))


def _high_pass(image, condition, rng, amplitude):
    return m.high_pass(m.grey(image), float(condition))


def _phase_scrambling(image, condition, rng, amplitude):
    return m.phase_scrambled(m.grey(image), float(condition), rng)


def _power_equalisation(image, condition, rng, amplitude):
    grey = m.grey(image)
    return m.power_equalised(grey, amplitude) if condition == "pow" else grey


def _false_colour(image, condition, rng, amplitude):
    return image / 255 if condition == "true" else m.opponent(image)


def _rotation(image, condition, rng, amplitude):
    return m.rotated(m.grey(image), int(condition))


def _uniform_noise(image, condition, rng, amplitude):
    return m.uniform_noise(m.grey(image), float(condition), rng)


def _eidolon(image, condition, rng, amplitude):
    reach, coherence, grain = map(float, condition.split("-"))
    return eidolon(m.grey(image), reach, coherence / 10, grain, rng)


def _eidolons(coherence: int) -> Degraded:
    conditions = tuple(f"{2**i}-{coherence}-10" for i in range(8))
    return Degraded("eid", "10", conditions, _eidolon)


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DEGRADED: dict[str, Degraded] = {
    "colour": Degraded("cl", "40", ("cr", "bw"), _colour),
    "contrast": Degraded(
        "cop", "10", _split("c100 c50 c30 c15 c10 c05 c03 c01"), _contrast
    ),
    "high-pass": Degraded(
        "hp", "10", _split("inf 3 1.5 1 0.7 0.55 0.45 0.4"), _high_pass
    ),
    "low-pass": Degraded("lp", "10", _split("0 1 3 5 7 10 15 40"), _low_pass),
    "phase-scrambling": Degraded(
        "ps", "10", _split("0 30 60 90 120 150 180"), _phase_scrambling
    ),
    "power-equalisation": Degraded("pow", "35", ("0", "pow"), _power_equalisation),
    "false-colour": Degraded("fc", "35", ("true", "false"), _false_colour),
    "eidolonI": _eidolons(10),
    "eidolonII": _eidolons(3),
    "eidolonIII": _eidolons(0),
    "rotation": Degraded("rot", "20", _split("0 90 180 270"), _rotation),
    "uniform-noise": Degraded(
        "nse", "10", _split("0.00 0.03 0.05 0.10 0.20 0.35 0.60 0.90"), _uniform_noise
    ),
}
