"""Which image sets are known, and what makes each of them complete?"""

import dataclasses
from typing import Literal

from biases_jax import labels


@dataclasses.dataclass(frozen=True)
class Counts:
    """What a complete image set holds.

    `per_class` is None where classes differ in size.
    """

    classes: int
    examples: int
    per_class: int | None = None

    def __str__(self):
        each = "" if self.per_class is None else f", {self.per_class} of each class"
        return f"{self.examples} images of {self.classes} classes{each}"


@dataclasses.dataclass(frozen=True)
class Source:
    """A published image set: where it may lie and how its images are read.

    `tfds` and `tfds_split` name its TFDS copy ('' if there is none), `tfds_labels`
    pairs label spaces with its features. `folders` are the subfolders of the data
    root in which the published tree `<class folder>/<file>` is looked for, in order.
    `id_from` says which name is unique: the base name, or class and base name where
    base names repeat in every class (ImageNet-R, ImageNet-Sketch). `preprocessing`
    is a policy of `preprocess.POLICIES`. `expected` is None for sets of any size.
    """

    name: str
    tfds: str
    tfds_split: str
    folders: tuple[str, ...]
    id_from: Literal["base_name", "class_and_base_name"]
    preprocessing: str
    expected: Counts | None
    tfds_labels: tuple[tuple[str, str], ...] = (("imagenet", "label"),)

    def example_name(self, label: int, file_name: str) -> str:
        """Return the name that identifies an example, whichever reader found it."""
        base_name = file_name.rsplit("/", 1)[-1]
        if self.id_from == "base_name":
            return base_name
        return f"{labels.WNIDS[label]}/{base_name}"


_IMAGENET = Source(
    name="imagenet",
    tfds="imagenet2012",
    tfds_split="validation",
    folders=("imagenet/val", "imagenet", "val", ""),
    id_from="base_name",
    preprocessing="pil_bilinear_256_224",
    expected=Counts(classes=1000, examples=50_000, per_class=50),
)

SOURCES: dict[str, Source] = {source.name: source for source in (_IMAGENET,)}
