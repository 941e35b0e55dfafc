"""What did models answer on the images of a set that people saw?"""

import dataclasses
import os
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from jaxtyping import Int8

from biases_jax import examples, labels, listing
from biases_jax.humans import reference, trials
from biases_jax.rows import Row


@dataclasses.dataclass(frozen=True)
class Answers:
    """The trials of models, the images' published names, and what is lacking.

    `names` are in the order of the trials' images. `lacking` says of the other models
    why their answers are not to be had; where they are of none, there are no images.
    """

    trials: trials.Trials
    names: tuple[str, ...]
    lacking: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class _Images:
    """The images of a set: sorted as trials are; `order` sorts records by id so."""

    images: tuple[trials.Image, ...]
    names: tuple[str, ...]
    categories: Int8[np.ndarray, " n"]
    order: np.ndarray


_NONE = trials.Trials((), (), np.zeros(0, np.int8), np.zeros((0, 0), np.int8))


def load(
    name: str,
    rows: Sequence[Row],
    records: str | os.PathLike,
    manifests: str | os.PathLike,
) -> Answers:
    """Return what models answered, by their per-example records.

    Args:
        name: one of `reference.SETS`.
        rows: complete cells of the set, one of each model.
        records: the folder of the rows' records.
        manifests: the folder of the sources' lists of examples.
    """
    shown: dict[tuple[str, ...], _Images] = {}
    makers, answers, lacking = [], [], {}
    for row in rows:
        facts = ("source", "label_space", "source_sha256")
        key = tuple(row.provenance.get(fact, "") for fact in facts)
        try:
            if key not in shown:
                shown[key] = _images(name, listing.load(manifests, row), key[1])
            found = _answers(examples.load(records, row), row)
        except (ValueError, OSError) as error:
            lacking[row.model] = str(error)
            continue
        makers.append(row.model)
        answers.append(found[shown[key].order])
    if not makers:
        return Answers(_NONE, (), lacking)
    # A set has one list, and rows of others have failed.
    images = next(iter(shown.values()))
    found = trials.Trials(
        tuple(makers), images.images, images.categories, np.stack(answers)
    )
    return Answers(found, images.names, lacking)


def chosen(plain: Answers, by_sums: Answers) -> Answers:
    """Return models' answers by the published read-out, else those by sums."""
    one, other = plain.trials, by_sums.trials
    known = {*one.makers, *plain.lacking}
    left = [maker not in known for maker in other.makers]
    lacking = {m: text for m, text in by_sums.lacking.items() if m not in known}
    lacking |= plain.lacking
    if not any(left):
        return dataclasses.replace(plain, lacking=lacking)
    added = tuple(m for m, keep in zip(other.makers, left, strict=True) if keep)
    whole, found = (plain if one.makers else by_sums), other.answers[left]
    both = dataclasses.replace(
        whole.trials,
        makers=(*one.makers, *added),
        answers=np.concatenate([one.answers, found]) if one.makers else found,
    )
    return Answers(both, whole.names, lacking)


def _images(name: str, listed: pa.Table, space: str) -> _Images:
    names = listed["name"].to_pylist()
    values = np.array(listed[space].to_pylist(), np.int32).reshape(len(names), -1)
    images = [
        trials.Image(_condition(name, text), trials.image_id(text)) for text in names
    ]
    if len(set(images)) < len(images):
        twice = sorted(image for image in set(images) if images.count(image) > 1)
        raise ValueError(
            f"{name}: got several images called {twice[0].id} in condition "
            f"{twice[0].condition}, expected one, which is paired with people's"
        )
    order = np.array(sorted(range(len(images)), key=images.__getitem__))
    return _Images(
        tuple(images[i] for i in order),
        tuple(names[i] for i in order),
        values[order, 0].astype(np.int8),
        order,
    )


def _condition(name: str, image: str) -> str:
    """Return an image's condition by its name, of a set that has several."""
    conditions = tuple(reference.SETS[name].conditions)
    fields = image.split("_")
    if len(conditions) == 1:
        return conditions[0]
    if len(fields) < 5:
        raise ValueError(
            f"got an image of {name} called {image}, expected "
            "<trial>_<set>_dnn_<condition>_<category>_<code>_<image>"
        )
    return reference.condition(name, fields[3])


def _answers(records: pa.Table, row: Row) -> Int8[np.ndarray, " n"]:
    """Return the categories that a model decided for, sorted by the examples' ids."""
    found = records["predicted"].to_numpy()
    if found.min() < 0 or found.max() >= len(labels.CATEGORIES):
        raise ValueError(
            f"{row.model} on {row.benchmark}: got the answers {found.min()} to "
            f"{found.max()}, expected categories, 0 to {len(labels.CATEGORIES) - 1}"
        )
    return found.astype(np.int8)
