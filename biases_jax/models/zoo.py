"""Which models does the study know by name?"""

from collections.abc import Sequence

from biases_jax import naming
from biases_jax.models import published
from biases_jax.models.spec import IMAGENET_MEAN, IMAGENET_STD, Layout, ModelSpec

__all__ = [
    "IMAGENET_MEAN",
    "IMAGENET_STD",
    "MODELS",
    "ModelSpec",
    "own",
    "select",
]

MODELS: dict[str, ModelSpec] = {row.name: row for row in published.ROWS}


def select(patterns: Sequence[str]) -> list[str]:
    """Return the names that match any of the patterns ('resnet50.*'), in table order.

    Raises:
        ValueError: a pattern matches no model.
    """
    what = "a model, or an own checkpoint as name=path"
    return naming.select(patterns, MODELS, what)


def own(name: str, layout: Layout | None = None) -> ModelSpec:
    """Return the row of a model that is not in the table, of any size."""
    return ModelSpec(name, "own", "", layout, width=None, num_classes=None)
