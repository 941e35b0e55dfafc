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


@dataclasses.dataclass(frozen=True)
class CategoryByCondition:
    """As `Category`, but what was done to the image is told apart.

    `conditions` are those of the source, in its order. Sums: also `count/<condition>`
    and `top1/<condition>`.
    """

    conditions: tuple[str, ...]
    readout: Readout = "mean"
    label: str = "category_condition"

    def __post_init__(self):
        demand_readout(self.readout)

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example.

        Args:
            logits: of ImageNet's classes.
            label: the category, and the place of the condition among `conditions`.

        Raises:
            ValueError: the model has not ImageNet's classes, or the label is no pair.
        """
        demand_pair(label, "a category and a condition, as category_condition has them")
        category, condition = label
        sums, record = decision(logits, category, self.readout)
        each = {}
        for place, name in enumerate(self.conditions):
            here = (condition == place).astype(jnp.int32)
            each |= {f"count/{name}": here, f"top1/{name}": here * sums["top1"]}
        return {**sums, **each}, record


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


def demand_pair(label: Label, meaning: str) -> None:
    """Refuse labels that do not have two values.

    Raises:
        ValueError: they have another number.
    """
    if label.shape != (2,):
        raise ValueError(
            f"got labels of shape {label.shape}, expected (2,): {meaning}; let the "
            "score read another label space"
        )


def demand_readout(readout: str) -> None:
    """Refuse a read-out that is not defined.

    Raises:
        ValueError: it is not.
    """
    if readout not in get_args(Readout):
        raise ValueError(
            f"got readout {readout!r}, expected one of {get_args(Readout)}"
        )
