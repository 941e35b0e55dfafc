"""Which models err on the same images, and which files hold what each answered?"""

import math
import pathlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from jaxtyping import Float

from biases_jax.analysis import files, humans
from biases_jax.humans import consistency, exported

MATRIX = "error_consistency.csv"
TRIALS = "trials"  # the folder of what models answered
LIST = f"{TRIALS}/files.csv"
PEOPLE = "people"  # a column of the matrix, and a line
MEAN = "mean"  # in place of a set


def write(found: Sequence[humans.Beside], out: pathlib.Path) -> list[str]:
    """Write the matrix and all trials of models into `out`; return what to link to.

    Nothing is written where no model's answers are to be had.
    """
    found = [one for one in found if one.answers.trials.makers]
    if not found:
        return []
    files.write_csv(matrix(found), out / MATRIX)
    files.write_csv(_export(found, out / TRIALS), out / LIST)
    return [MATRIX, LIST]


def matrix(found: Sequence[humans.Beside]) -> pa.Table:
    """Return the error consistency of all pairs: of each set, and the mean of the sets.

    Columns: `set` ('mean' for the mean of `sets` of them), `model`, one for each model
    and `people`, the mean over all observers. The line of people has how they compare
    with each other. Null where answers are not to be had; a mean is then null, too.
    """
    models = _models(found)
    parts = [_errors(one, models) for one in found]
    blocks = [(one.name, 1, part) for one, part in zip(found, parts, strict=True)]
    blocks.append((MEAN, len(parts), np.mean(parts, 0)))
    makers = [*models, PEOPLE]
    return pa.Table.from_pylist(
        [
            {"set": name, "sets": sets, "model": maker}
            | {
                m: None if math.isnan(v) else v
                for m, v in zip(makers, line, strict=True)
            }
            for name, sets, part in blocks
            for maker, line in zip(makers, part.tolist(), strict=True)
        ],
        pa.schema(
            [("set", pa.string()), ("sets", pa.int64()), ("model", pa.string())]
            + [(maker, pa.float64()) for maker in makers]
        ),
    )


def _errors(
    one: humans.Beside, models: Sequence[str]
) -> Float[np.ndarray, "makers makers"]:
    """Return the matrix of a set; the last is people."""
    errors = np.full((len(models) + 1, len(models) + 1), math.nan)
    shown = one.answers.trials
    places = [models.index(maker) for maker in shown.makers]
    try:
        errors[np.ix_(places, places)] = consistency.among_models(one.name, shown)
    except ValueError:  # no image is of a condition that counts
        return errors
    errors[-1, -1] = one.among_people
    for place, model in zip(places, shown.makers, strict=True):
        value = one.value(model, "error_consistency").value
        errors[place, -1] = errors[-1, place] = value
    return errors


def _export(found: Sequence[humans.Beside], folder: pathlib.Path) -> pa.Table:
    """Write the trials; return which file has whose, by which read-out."""
    called = exported.safe_names(_models(found))
    lines = []
    for one in found:
        written = exported.write(folder, one.name, one.answers, called)
        for model, file in written.items():
            readout = "sum" if model in one.by_sums else "mean"
            lines.append((model, called[model], one.name, readout, file))
    names = ("model", "subj", "set", "readout", "file")
    columns = zip(*sorted(lines), strict=True)
    return pa.table({n: list(c) for n, c in zip(names, columns, strict=True)})


def _models(found: Sequence[humans.Beside]) -> list[str]:
    return sorted({model for one in found for model in one.answers.trials.makers})
