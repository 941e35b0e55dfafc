"""Which models err on the same images, and which files hold what each answered?"""

import itertools
import math
import pathlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from jaxtyping import Float

from biases_jax.analysis import files, humans
from biases_jax.humans import consistency, exported, reference

# Files, and what is in them: fields of `consistency.Consistency`.
MATRICES = {"error_consistency.csv": "error", "observed_consistency.csv": "observed"}
CEILINGS = "people.csv"
TRIALS = "trials"  # the folder of what models answered
LIST = f"{TRIALS}/files.csv"
PEOPLE = "people"  # a column of the matrix, and a line
MEAN = "mean"  # in place of a set
Square = Float[np.ndarray, "makers makers"]


def write(found: Sequence[humans.Beside], out: pathlib.Path) -> list[str]:
    """Write the matrices and all trials of models into `out`; return what to link to.

    Nothing is written where no model's answers are to be had, nor how people compare
    with each other where their trials are not.
    """
    found = [one for one in found if one.answers.trials.makers]
    if not found:
        return []
    for file, field in MATRICES.items():
        files.write_csv(matrix(found, field), out / file)
    files.write_csv(_export(found, out / TRIALS), out / LIST)
    seen = [one for one in found if one.people]
    if seen:
        files.write_csv(ceilings(seen), out / CEILINGS)
    return [*MATRICES, *([CEILINGS] if seen else []), LIST]


def ceilings(found: Sequence[humans.Beside]) -> pa.Table:
    """Return the error consistency of people with each other, which models may reach.

    Columns: `set` ('mean' for the mean of all seventeen), `sets`, of how many the line
    is, `observers`, `pairs` for the mean of any two of them, `halves` for that of one
    half with the other, and what `pairs` is by the published trials. Null with one
    observer; means also where a set lacks.
    """
    whole = len(found) == len(reference.SETS)
    columns = {
        "pairs": [one.among_people for one in found],
        "halves": [one.between_halves for one in found],
        "published_pairs": [reference.SETS[o.name].error_consistency for o in found],
    }
    counts = [len(_observers(one)) for one in found]
    return pa.table(
        {
            "set": [*(one.name for one in found), MEAN],
            "sets": [*(1 for _ in found), len(found)],
            "observers": pa.array([*counts, None], pa.int64()),
        }
        | {
            name: pa.array(
                [*values, float(np.mean(values)) if whole else None],
                pa.float64(),
                from_pandas=True,
            )
            for name, values in columns.items()
        }
    )


def matrix(found: Sequence[humans.Beside], field: str = "error") -> pa.Table:
    """Return how consistent all pairs are: on each set, and the mean of the sets.

    Columns: `set` ('mean' for the mean of `sets` of them), `maker`, one for each model,
    `people`, the mean over all observers, and one for each observer. The line of people
    has how they compare with each other. Observers of different sets are not the same,
    and so are in no mean. Null where answers are not to be had; a mean is then null,
    too.
    """
    models = _models(found)
    parts = [_of_set(one, models, field) for one in found]
    whole = len(models) + 1
    mean = np.mean([part[:whole, :whole] for part in parts], 0)
    blocks = [(one.name, 1, _observers(one)) for one in found]
    blocks.append((MEAN, len(parts), []))
    lines = []
    for (name, sets, observers), part in zip(blocks, [*parts, mean], strict=True):
        makers = [*models, PEOPLE, *observers]
        for maker, line in zip(makers, part.tolist(), strict=True):
            pairs = zip(makers, line, strict=True)
            known = {other: value for other, value in pairs if not math.isnan(value)}
            lines.append({"set": name, "sets": sets, "maker": maker, **known})
    everyone = sorted({name for one in found for name in _observers(one)})
    makers = [(maker, pa.float64()) for maker in (*models, PEOPLE, *everyone)]
    first = [("set", pa.string()), ("sets", pa.int64()), ("maker", pa.string())]
    return pa.Table.from_pylist(lines, pa.schema(first + makers))


def _of_set(one: humans.Beside, models: Sequence[str], field: str) -> Square:
    """Return the matrix of a set: models, people, and each observer."""
    groups = [one.answers.trials, *([one.people] if one.people else [])]
    makers = [*models, PEOPLE, *_observers(one)]
    numbers = np.full((len(makers), len(makers)), math.nan)
    for first, second in itertools.product(groups, repeat=2):
        rows, columns = ([makers.index(m) for m in g.makers] for g in (first, second))
        try:
            pairs = getattr(consistency.pairs(one.name, first, second), field)
        except ValueError:  # of other images, or of no condition that counts
            continue
        numbers[np.ix_(rows, columns)] = pairs
    if one.people:
        place = len(models)
        numbers[place] = numbers[:, place] = numbers[:, place + 1 :].mean(1)
        among = consistency.among_people(one.name, one.people)
        numbers[place, place] = getattr(among, field)
        numbers[place, place + 1 :] = numbers[place + 1 :, place] = math.nan
    return numbers


def _observers(one: humans.Beside) -> Sequence[str]:
    return one.people.makers if one.people else ()


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
