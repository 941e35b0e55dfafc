"""What was answered on the images of a set that people saw?"""

import dataclasses
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int8

from biases_jax import labels


class Image(NamedTuple):
    """By what a trial is paired with those of others.

    `condition` is spelled as `reference.SETS` has it, `id` is that of `image_id`.
    """

    condition: str
    id: str


@dataclasses.dataclass(frozen=True)
class Trials:
    """What people, or models, answered on the n images of one set.

    `images` are sorted; `categories`, 0 to 15, are right. `answers` has a line for
    each of `makers`, with -1 where there was no answer.
    """

    makers: tuple[str, ...]
    images: tuple[Image, ...]
    categories: Int8[np.ndarray, " n"]
    answers: Int8[np.ndarray, "makers n"]

    @property
    def right(self) -> Bool[np.ndarray, "makers n"]:
        """Which answers are right; none is wrong."""
        return self.answers == self.categories


def image_id(name: str) -> str:
    """Return what names of one image have in common.

    The others of their fields tell who saw it, and when:
    '0001_cop_s03_c05_dog_00_n02085620_242.JPEG'.
    """
    fields = name.rsplit("/", 1)[-1].split("_")
    whole = len(fields) > 1 and fields[-2].startswith("n0")
    return "_".join(fields[-2:] if whole else fields[-1:])


def demand_same_images(one: Trials, other: Trials) -> None:
    """Refuse trials that cannot be paired.

    Raises:
        ValueError: they are of different images, or an image is of another category
            in them; the message names some.
    """
    who = f"{other.makers[0]}, compared with {one.makers[0]}"
    different = sorted(set(one.images) ^ set(other.images))
    if different:
        some = ", ".join(f"{i.id} (condition {i.condition})" for i in different[:3])
        raise ValueError(
            f"{who}: got {len(other.images)} and {len(one.images)} images, expected the"
            f" same ones; {len(different)} are in one of them only: {some}"
        )
    for place in np.flatnonzero(one.categories != other.categories):
        here, there = (labels.CATEGORIES[t.categories[place]] for t in (one, other))
        raise ValueError(
            f"{who}: got the image {one.images[place].id} as {there}, expected {here}"
        )
