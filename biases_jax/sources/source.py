"""What is an image set: where may it lie, how is it read, when is it complete?"""

import dataclasses
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from biases_jax import labels

IdFrom = Literal["base_name", "class_and_base_name"]

# How a tree is laid out, and the label space that this gives.
LAYOUTS = {
    "class_folders": "imagenet",
    "category_folders": "shape_texture",
    "plain_category_folders": "category",
    "session": "category",
}
FORMS = {  # where an image lies below a tree's root
    "class_folders": "<class>/<image>, where a class is a wnid (n01440764) or an "
    "integer (7)",
    "category_folders": "<shape>/<shape>1-<texture>2.png (airplane/airplane1-bear2)",
    "plain_category_folders": "<category>/<image> (airplane/airplane1.png)",
    "session": "dnn/session-1/<trial>_<set>_dnn_<condition>_<category>_<code>_<image>",
}


@dataclasses.dataclass(frozen=True)
class Counts:
    """What a complete image set holds.

    `per_class` is None where classes differ in size, and so is `per_condition` where
    conditions do; a set without any has it None as well.
    """

    classes: int
    examples: int
    per_class: int | None = None
    per_condition: int | None = None

    def __str__(self):
        each = "" if self.per_class is None else f", {self.per_class} of each class"
        if self.per_condition is not None:
            each += f", {self.per_condition} of each condition"
        return f"{self.examples} images of {self.classes} classes{each}"


@dataclasses.dataclass(frozen=True)
class TfdsCopy:
    """A TFDS data set that holds a source.

    `name` has the configuration in it (imagenet_v2/threshold-0.7). `labels` pairs
    label spaces with features: their values one after the other, padded with -1
    where examples have different numbers of labels. The first is the class.
    """

    name: str
    split: str
    labels: tuple[tuple[str, tuple[str, ...]], ...] = (("imagenet", ("label",)),)


@dataclasses.dataclass(frozen=True)
class Source:
    """A published image set: where it may lie and how its images are read.

    `folders` are the subfolders of the data root in which the published tree is
    looked for, in order; a tar archive beside each, `<folder>.tar`, counts as the
    folder. `archives` are further archives, each with the folder in it. `copies` are
    the TFDS data sets that hold the source, in order. `layout` is one of `LAYOUTS`.
    `id_from` says which name is unique: the base name, or class and base name where
    base names repeat in every class (ImageNet-R, ImageNet-Sketch). `preprocessing`
    is a policy of `preprocess.POLICIES`. `expected` is None for sets of any size,
    `classes` are the class indices that may occur (none: all). `numbered` sets have
    the names of ImageNet's validation images, so that each label can be proved.
    `reassessed`: `real.json` in the data root gives the label space `real`. `original`
    sets hold ImageNet's own photographs: JPEG files of many sizes. `experiment` is the
    code by which the files of a `session` name their set, '' if it is not known.
    `conditions` are those of such a set, in order; each file's name tells its own.
    """

    name: str
    folders: tuple[str, ...]
    id_from: IdFrom
    preprocessing: str
    expected: Counts | None
    copies: tuple[TfdsCopy, ...] = ()
    archives: tuple[tuple[str, str], ...] = ()
    layout: str = "class_folders"
    classes: tuple[int, ...] = ()
    numbered: bool = False
    reassessed: bool = False
    original: bool = False
    experiment: str = ""
    conditions: tuple[str, ...] = ()

    @property
    def space(self) -> str:
        """The label space whose first value is an example's class."""
        return LAYOUTS[self.layout]

    @property
    def spaces(self) -> dict[str, int]:
        """The label spaces that its trees give, and how many values each has.

        `category_condition`: the category, and the place in `conditions`.
        """
        pairs = {"category_condition": 2} if self.conditions else {}
        return {self.space: 2 if self.space == "shape_texture" else 1, **pairs}

    @property
    def holds(self) -> str:
        """What is in a complete set, for people."""
        counts = str(self.expected or "any number of images")
        return counts + (f" ({', '.join(self.conditions)})" if self.conditions else "")

    def declares(self, counts: Counts | None) -> bool:
        """Return whether a set of these counts says that it is not the published one.

        Counts of the classes alone (`per_class`) make no other set.
        """
        if counts is None or self.expected is None:
            return counts is not self.expected
        published = self.expected.classes, self.expected.examples
        return (counts.classes, counts.examples) != published

    def example_name(self, label: int, file_name: str) -> str:
        """Return the name that identifies an example, whichever reader found it."""
        base_name = file_name.rsplit("/", 1)[-1]
        if self.id_from == "base_name":
            return base_name
        folders = labels.WNIDS if self.space == "imagenet" else labels.CATEGORIES
        return f"{folders[label]}/{base_name}"


@runtime_checkable
class Reader(Protocol):
    """What reads one kind of copy; `read` may be called from several threads.

    `origin` is the key under which names and labels are cached, '' for no caching.
    """

    names: tuple[str, ...]
    locations: tuple[str, ...]
    labels: dict[str, np.ndarray]
    expected: Counts | None
    origin: str

    def read(self, index: int) -> tuple[str, bytes]:
        """Return the name found with the example, and its encoded image."""
