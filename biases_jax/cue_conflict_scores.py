"""Does a model follow the shape or the texture where the two disagree?"""

import dataclasses

import jax.numpy as jnp

from biases_jax import category_scores, labels, scores
from biases_jax.types import Label, Logits, Record, Sums


@dataclasses.dataclass(frozen=True)
class CueConflict:
    """How often shape and texture are decided for (Geirhos et al. 2019, 2021).

    The decision is that of `category_scores.decision` among sixteen categories. Only
    pairs of two different categories are scored; other decisions count for neither
    cue. Shape bias is `shape / (shape + texture)`. Sums: those of `scores.TopK`, for
    which the shape is right, and `scored`, `shape`, `texture`, the latter two also of
    the images with the shape of each category, as `shape/<category>`. The accuracy over
    all pairs, equal ones included, is `category_scores.Category("shape_texture")`.
    """

    label: str = "shape_texture"
    readout: category_scores.Readout = "mean"

    def __post_init__(self):
        category_scores.demand_readout(self.readout)

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example; `label` is shape, texture.

        Raises:
            ValueError: the model has not ImageNet's classes, or the label is no pair.
        """
        category_scores.demand_pair(
            label, "a shape and a texture, as shape_texture has them"
        )
        shape, texture = label
        scored = (shape != texture) & (label >= 0).all()
        sums, record = category_scores.decision(logits, shape, self.readout)
        sums, record = scores.only(scored, sums, record)
        by_texture = scored & (record.predicted == texture)
        cues = {"shape": sums["top1"], "texture": by_texture.astype(jnp.int32)}
        each = {
            f"{cue}/{name}": (shape == category).astype(jnp.int32) * decided
            for category, name in enumerate(labels.CATEGORIES)
            for cue, decided in cues.items()
        }
        return {**sums, **cues, **each}, record
