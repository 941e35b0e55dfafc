"""Which of the sixteen categories of model-vs-human does a model decide for?"""

import dataclasses

import jax.numpy as jnp
import numpy as np

from biases_jax import labels, scores
from biases_jax.types import Array, Float, Label, Logits, Record, Sums

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

    The decision is the category whose member classes have the largest mean
    probability; ties go to the earlier category. The record's `predicted` is a
    category, and `margin` the difference of the two best mean probabilities'
    logarithms; a category has no likelihood. Sums: those of `scores.TopK`.
    """

    label: str = "category"

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example; `label` is 0 to 15.

        Raises:
            ValueError: the model has not ImageNet's classes.
        """
        scores.demand_imagenet(logits, "the members of the sixteen categories")
        logits = logits.astype(jnp.float32)
        logarithms = log_means(logits)
        best = scores.best_classes(logarithms)
        hits = best == label[0]
        margin = scores.margin(logarithms)
        return scores.judged(logits, best, hits, margin, jnp.float32(jnp.nan))


def log_means(logits: Logits) -> Float[Array, "16"]:
    """Return the logarithms of the categories' mean probabilities, up to a constant.

    The largest logit of a member, not of any class, is what the exponents refer to, so
    that a confident answer outside the sixteen does not round all of them to 0. Means
    of less than 1e-38 of the largest count as that.
    """
    members = jnp.where(_IS_MEMBER, logits[_MEMBERS], -jnp.inf)
    exponentials = jnp.exp(members - members.max())
    means = exponentials.sum(1) / jnp.asarray(_SIZES, jnp.float32)
    return jnp.log(jnp.maximum(means, jnp.finfo(jnp.float32).tiny))
