"""Which of the sixteen categories of model-vs-human does a model decide for?"""

import dataclasses
from typing import Literal, get_args

import jax.numpy as jnp
import numpy as np

from biases_jax import labels, scores
from biases_jax.types import Array, Float, Int, Label, Logits, Record, Sums

Readout = Literal["mean", "sum"]  # of the probabilities of a category's members

_SIZES = np.array([len(members) for members in labels.CATEGORY_MEMBERS])
# Row i: the classes of category i, filled up with class 0 to the longest list.
_MEMBERS = np.array(
    [
        members + (0,) * (_SIZES.max() - len(members))
        for members in labels.CATEGORY_MEMBERS
    ],
    np.int32,
)
_IS_MEMBER = np.arange(_MEMBERS.shape[1]) < _SIZES[:, None]


@dataclasses.dataclass(frozen=True)
class Category:
    """Top-1 and top-5 among sixteen categories (Geirhos et al. 2021, model-vs-human).

    See `decision` for how they are ranked. With `label="shape_texture"` the shape is
    what is right. Sums: those of `scores.TopK`.
    """

    label: str = "category"
    readout: Readout = "mean"

    def __post_init__(self):
        demand_readout(self.readout)

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example; `label` is 0 to 15.

        Raises:
            ValueError: the model has not ImageNet's classes.
        """
        return decision(logits, label[0], self.readout)


def decision(
    logits: Logits, category: Int[Array, ""], readout: Readout
) -> tuple[Sums, Record]:
    """Return the sums and the record of one decision, right if it is `category`.

    The decision is the category whose member classes have the largest mean
    probability (`mean`, as published), or the largest probability together (`sum`);
    ties go to the earlier category. The record's `predicted` is a category, and
    `margin` the difference of the two best categories' logarithms; a category has no
    likelihood.

    Raises:
        ValueError: the model has not ImageNet's classes.
    """
    scores.demand_imagenet(logits, "the members of the sixteen categories")
    logits = logits.astype(jnp.float32)
    logarithms = log_probabilities(logits, readout)
    best = scores.best_classes(logarithms)
    margin = scores.margin(logarithms)
    return scores.judged(logits, best, best == category, margin, jnp.float32(jnp.nan))


def log_probabilities(logits: Logits, readout: Readout) -> Float[Array, "16"]:
    """Return the logarithms of the categories' probabilities, up to one constant.

    They are means over a category's members, or sums. The largest logit of a member,
    not of any class, is what the exponents refer to, so that a confident answer
    outside the sixteen does not round all of them to 0. Less than 1e-38 of the
    largest counts as that.
    """
    members = jnp.where(_IS_MEMBER, logits[_MEMBERS], -jnp.inf)
    probabilities = jnp.exp(members - members.max()).sum(1)
    if readout == "mean":
        probabilities = probabilities / jnp.asarray(_SIZES, jnp.float32)
    return jnp.log(jnp.maximum(probabilities, jnp.finfo(jnp.float32).tiny))


def demand_readout(readout: str) -> None:
    """Refuse a read-out that is not defined.

    Raises:
        ValueError: it is not.
    """
    if readout not in get_args(Readout):
        raise ValueError(
            f"got readout {readout!r}, expected one of {get_args(Readout)}"
        )
