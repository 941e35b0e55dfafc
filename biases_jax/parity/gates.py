"""From which difference on are two runs no longer the same computation?"""

from typing import NamedTuple

import numpy as np

from biases_jax.models import activations
from biases_jax.parity import differences, runs


class Gate(NamedTuple):
    """What rounding may do, in one precision.

    `logits` bounds their largest difference over their spread, and the margin of a
    decision that may differ; `gradient` its relative difference. `first` and `last`
    bound the relative difference of `conv1` and `logits`, and geometrically what lies
    between: where that is passed first, an error begins.
    """

    logits: float
    gradient: float
    first: float
    last: float


# Random ResNet-50s at 224, torch against itself in float64 (spec of the checkpoints,
# 4.1): float32 is 4e-5 off in the logits, 2e-2 in the gradient, where ReLUs flip.
# Wrong padding is 0.9 and 1.4 off. TF32 factors emulated: 6e-2 and 0.6; bfloat16
# factors: 0.34 and 1.2, so that its gradient has no bound but those below. Their bounds
# are twice that, where that is still less than what a wrong padding or an empty
# gradient (1.0) does. What
# they do to `conv1` (3e-4, 4e-3) and to the last block (1e-2, 0.1) has ten and five
# times its measure, since the filters of trained networks cancel more.
GATES = {
    "float64": Gate(1e-9, 1e-9, 1e-12, 1e-9),
    "float32": Gate(1e-3, 5e-2, 3e-6, 1e-4),
    "tf32": Gate(0.12, 0.9, 6e-3, 6e-2),
    "bfloat16": Gate(0.7, np.inf, 5e-2, 0.5),
}
COARSE = ("tf32", "bfloat16")
# What a gradient of rounded factors still has: noise of 1.2 times its norm leaves a
# cosine of 1 - 1.2^2 / 2 = 0.28 and flips 42 % of the signs. Unrelated ones have 0 and
# 50 %; a cosine of 0.1 is 47 % of signs (arccos(0.1) / pi, were they normal).
COSINE, FLIPS, SCALE = 0.1, 0.47, 3
INPUT = {"float64": 1e-14, "float32": 1e-5}  # relative, of `normalized`


def failures(comparison: differences.Comparison) -> list[str]:
    """Return which bounds a comparison breaks, as text; none if it agrees."""
    gate, stages = GATES[comparison.precision], comparison.stages
    bounds = {
        "logits": (stages["logits"].over_spread, gate.logits, "of their spread"),
        "gradient": (stages[runs.GRADIENT].relative, gate.gradient, "relative"),
    }
    found = [
        f"{name} {value:.1e} {unit}, at most {bound:.0e}"
        for name, (value, bound, unit) in bounds.items()
        if not value <= bound  # a NaN breaks every bound
    ]
    decided = [margin for margin in comparison.margins if not margin <= gate.logits]
    if decided:
        found.append(f"{len(decided)} clear decision(s) differ")
    if comparison.precision in COARSE:
        found += _directions(comparison)
    first = first_deviation(comparison)
    endless = first and not np.isfinite(stages[first].relative)
    if not found and first and (endless or comparison.precision in COARSE):
        found.append(f"{first} {stages[first].relative:.1e} relative")
    return found


def _directions(comparison: differences.Comparison) -> list[str]:
    """Return how a gradient is another one than even rounded factors make it."""
    found = []
    if not comparison.cosine >= COSINE:
        found.append(f"gradient's cosine {comparison.cosine:.2f}, at least {COSINE}")
    if not comparison.sign_flips <= FLIPS:
        flips = f"{comparison.sign_flips:.0%} of the gradient's signs"
        found.append(f"{flips} differ, at most {FLIPS:.0%}")
    if not 1 / SCALE <= comparison.scale <= SCALE:
        found.append(f"gradient {comparison.scale:.1e} times as long, at most {SCALE}")
    return found


def limit(stage: str, precision: str) -> float:
    """Return how far rounding alone may move a stage, relative."""
    gate = GATES[precision]
    if stage == "normalized":
        return INPUT.get(precision, INPUT["float32"])
    order = activations.STAGES.index(stage) - 1
    share = order / (len(activations.STAGES) - 2)
    return gate.first ** (1 - share) * gate.last**share


def bound(name: str, precision: str) -> float:
    """Return the relative bound of a stage or of the gradient."""
    if name == runs.GRADIENT:
        return GATES[precision].gradient
    return limit(name, precision)


def first_deviation(comparison: differences.Comparison) -> str:
    """Return the first stage that is further off than rounding explains, or ''."""
    for stage, difference in comparison.stages.items():
        if stage == runs.GRADIENT:
            break
        if not difference.relative <= limit(stage, comparison.precision):
            return stage
    return ""
