"""Which class does a targeted attack aim at, and how far ahead is the truth?"""

import jax
import jax.numpy as jnp

from biases_jax.attacks.attack import Classes, Logits
from biases_jax.types import Array, Float, Int

Rank = int | Int[Array, ""]  # an array may be traced


def ranked(logits: Logits, rank: Rank) -> Classes:
    """Return, for each example, the class of the `rank`-th largest logit.

    Rank 1 is the model's answer: equal logits rank in the order of their classes, as
    `argmax` has it. AutoAttack aims at ranks 2 to 10 of the clean image's logits. A
    traced rank lets all of them share one program; its size is not checked.

    Raises:
        ValueError: there is no such rank among the classes.
    """
    classes = logits.shape[-1]
    if isinstance(rank, int) and not 1 <= rank <= classes:
        raise ValueError(
            f"got rank={rank} for {classes} classes, expected 1 to {classes}: a model "
            "of few classes has fewer targets"
        )
    order = jnp.argsort(logits, descending=True, stable=True)
    return jnp.take(order, jnp.asarray(rank)[None] - 1, axis=-1).astype(jnp.int32)


def of_class(logits: Logits, chosen: Classes) -> Float[Array, "*b"]:
    """Return the logit of each example's chosen class."""
    return jnp.take_along_axis(logits, chosen, axis=-1)[..., 0]


def lead(logits: Logits, label: Classes, target: Classes) -> Float[Array, "*b"]:
    """Return how far each target's logit is above that of the label."""
    return of_class(logits, target) - of_class(logits, label)


def margin(logits: Logits, label: Classes) -> Float[Array, "*b"]:
    """Return how far each label's logit is above the largest other one.

    Negative where the answer is wrong.
    """
    truth = jax.nn.one_hot(label[..., 0], logits.shape[-1], dtype=bool)
    rivals = jnp.where(truth, -jnp.inf, logits).max(-1)
    return of_class(logits, label) - rivals


def demand_rank(rank: Rank) -> None:
    """Refuse a rank that is no target.

    Raises:
        ValueError: a rank that is known now and not an integer of at least 2.
    """
    if isinstance(rank, int | float) and (rank < 2 or rank % 1):
        raise ValueError(
            f"got rank={rank}, expected an integer of at least 2: the target is the "
            "class of the rank-th largest logit of the clean image, and rank 1 is the "
            "model's own answer"
        )
