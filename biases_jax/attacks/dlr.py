"""How wrong is an answer, on a scale that larger logits leave as it is?

The difference of logits ratio of Croce & Hein 2020, with the 1e-12 that AutoAttack
(commit a392200) adds to its denominators. z_(k) is the k-th largest logit of an
example. Unlike the cross-entropy, the ratio has a gradient where the model is sure.
"""

import functools

import jax
from jax import lax

from biases_jax.attacks import attack, targets
from biases_jax.attacks.attack import Classes, Logits
from biases_jax.types import Array, Float

TINY = 1e-12


def untargeted(logits: Logits, label: Classes) -> Float[Array, "*b"]:
    """Return -(z_y - max_{k != y} z_k) / (z_(1) - z_(3) + 1e-12), at least -1.

    Above 0 where the answer is wrong.

    Raises:
        ValueError: fewer than three classes.
    """
    first, _, third = _largest(logits, 3)
    return -targets.margin(logits, label) / (first - third + TINY)


def targeted(logits: Logits, label: Classes, target: Classes) -> Float[Array, "*b"]:
    """Return -(z_y - z_t) / (z_(1) - (z_(3) + z_(4)) / 2 + 1e-12).

    Above 0 where the target is ahead of the truth; another class may be the answer.

    Raises:
        ValueError: fewer than four classes.
    """
    first, _, third, fourth = _largest(logits, 4)
    ahead = targets.lead(logits, label, target)
    return ahead / (first - (third + fourth) / 2 + TINY)


def towards(target: Classes) -> attack.Loss:
    """Return the targeted loss of these targets, as attacks take it."""
    return functools.partial(targeted, target=target)


def _largest(logits: Logits, count: int) -> tuple[jax.Array, ...]:
    """Return the largest logits of each example, in falling order."""
    if logits.shape[-1] < count:
        raise ValueError(
            f"got {logits.shape[-1]} classes, expected at least {count}: the "
            f"denominator of this loss has the logit of rank {count}; attack models "
            "of fewer classes with the loss 'ce'"
        )
    values, _ = lax.top_k(logits, count)
    return tuple(values[..., rank] for rank in range(count))
