"""How are the trials of people and models read from files of model-vs-human's form?

A line is a trial (Geirhos et al. 2021). People's files are
`raw-data/<set>/<set>_subject-NN_session_K.csv`, and may lie among those of models.
"""

import csv
import dataclasses
import io
import re
from collections.abc import Iterator, Sequence

import numpy as np
from etils import epath

from biases_jax import labels
from biases_jax.humans import reference, trials

PLACES = ("model-vs-human", "model_vs_human", "")  # of a data root
NO_ANSWER = "na"
COLUMNS = ("object_response", "category", "condition", "imagename")  # that are read
_PERSON = r"{}_(subject-[0-9]+)_session_[0-9]+\.csv"
_INDEX = {category: index for index, category in enumerate(labels.CATEGORIES)}
_ANSWERS = {**_INDEX, NO_ANSWER: -1}


def available(folder: epath.PathLike) -> tuple[str, ...]:
    """Return the sets of which a folder has people's trials, in the published order.

    Whether they can be read is not looked at.

    Args:
        folder: it holds `raw-data`.
    """
    return tuple(name for name in reference.SETS if _files(folder, name))


def find(data_dir: str) -> epath.Path | None:
    """Return the folder of a data root that holds people's trials, None if none does.

    Args:
        data_dir: the root, '' if there is none.
    """
    if not data_dir:
        return None
    folders = [epath.Path(data_dir) / place for place in PLACES]
    return next((folder for folder in folders if available(folder)), None)


def people(folder: epath.PathLike, name: str) -> trials.Trials:
    """Return what all observers of a set answered.

    Args:
        folder: it holds `raw-data`.
        name: one of `reference.SETS`.

    Raises:
        ValueError: there is no observer, a file is misnamed or malformed, or observers
            saw different images.
    """
    found = _observers(folder, name)
    first, *others = (read(name, observer, found[observer]) for observer in found)
    for other in others:
        trials.demand_same_images(first, other)
    everyone = (first, *others)
    return dataclasses.replace(
        first,
        makers=tuple(found),
        answers=np.concatenate([one.answers for one in everyone]),
    )


def read(name: str, maker: str, files: Sequence[epath.PathLike]) -> trials.Trials:
    """Return what one decision maker answered on a set, in all sessions.

    Args:
        name: one of `reference.SETS`.
        maker: what to call the decision maker.
        files: of people (`Session` in the header) or of a model (`session`).

    Raises:
        ValueError: a file is empty or lacks a column, a line is torn or has an unknown
            category or condition, or an image occurs twice.
    """
    found: dict[trials.Image, tuple[int, int]] = {}
    for file in files:
        for where, line in _lines(epath.Path(file)):
            image, trial = _trial(name, line, where)
            if image in found:
                raise ValueError(
                    f"{where}: got a second trial of the image {image.id} by {maker}, "
                    "expected one; a file may be here twice"
                )
            found[image] = trial
    images = tuple(sorted(found))
    categories, answers = np.array([found[image] for image in images], np.int8).T
    return trials.Trials((maker,), images, categories, answers[None])


def _observers(folder: epath.PathLike, name: str) -> dict[str, list[epath.Path]]:
    """Return the files of each observer of a set, of which there are some."""
    found: dict[str, list[epath.Path]] = {}
    for file in _files(folder, name):
        match = re.fullmatch(_PERSON.format(re.escape(name)), file.name)
        if not match:
            raise ValueError(
                f"got the file {file}, expected {name}_subject-NN_session_K.csv, the "
                "published name; rename or remove it"
            )
        found.setdefault(match[1], []).append(file)
    if not found:
        raise ValueError(
            f"got no trials of people on {name} in {folder}, expected raw-data/{name}/"
            f"{name}_subject-NN_session_K.csv, as model-vs-human publishes them"
        )
    return found


def _files(folder: epath.PathLike, name: str) -> list[epath.Path]:
    """Return the files on people; those of models are left out."""
    place = epath.Path(folder) / "raw-data" / name
    files = sorted(place.iterdir()) if place.is_dir() else []
    return [f for f in files if "subject" in f.name and not f.name.startswith(".")]


def _lines(file: epath.Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield where a trial stands and its fields, of a file that has some."""
    reader = csv.reader(io.StringIO(_text(file)))
    header = next(reader, [])
    lacking = [column for column in COLUMNS if column not in header]
    if lacking:
        raise ValueError(
            f"{file}: got the columns {', '.join(header) or 'of an empty file'}, "
            f"expected also {', '.join(lacking)}"
        )
    number = 1
    for number, fields in enumerate(reader, 2):
        where = f"{file}, line {number}"
        if len(fields) != len(header):
            raise ValueError(
                f"{where}: got {len(fields)} fields, expected {len(header)} as in the "
                "header; the file may be torn, fetch it again"
            )
        yield where, dict(zip(header, fields, strict=True))
    if number == 1:
        raise ValueError(f"{file}: got no trials, expected some below the header")


def _text(file: epath.Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file}: got bytes that are no UTF-8 ({error}), expected text in UTF-8; "
            "save it so, or fetch it again"
        ) from error


def _trial(
    name: str, line: dict[str, str], where: str
) -> tuple[trials.Image, tuple[int, int]]:
    """Return the image, and what is right and what was answered."""
    answer, category = line["object_response"], line["category"]
    if category not in _INDEX or answer not in _ANSWERS:
        wrong = answer if category in _INDEX else category
        raise ValueError(
            f"{where}: got the category {wrong!r}, expected one of "
            f"{', '.join(labels.CATEGORIES)}, or {NO_ANSWER} for no answer"
        )
    try:
        condition = reference.condition(name, line["condition"])
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    image = trials.Image(condition, trials.image_id(line["imagename"]))
    return image, (_INDEX[category], _ANSWERS[answer])
