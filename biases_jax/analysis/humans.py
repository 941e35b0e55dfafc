"""How do models' errors compare with those of people, set by set?"""

import dataclasses
import functools
import math
import os
from collections.abc import Mapping, Sequence

import numpy as np
from absl import logging
from etils import epath

from biases_jax.analysis import derived_lines
from biases_jax.benchmarks import model_vs_human
from biases_jax.humans import answers, consistency, reference, trial_files, trials
from biases_jax.rows import Row
from biases_jax.sources.model_vs_human import PREFIX
from biases_jax.types import Value

METRICS = {  # of the long table; fields of `consistency.Consistency`
    "accuracy_difference": "accuracy_difference",
    "observed_consistency": "observed",
    "error_consistency": "error",
}
NOBODY = (
    "no trials of people are here; expected raw-data/<set>/*.csv in model-vs-human of "
    "the data root, or where --humans of biases_jax.analysis says"
)
PLAIN, SUMS = model_vs_human.READOUTS.values()  # how benchmarks' names end
Values = Mapping[str, Value]


@dataclasses.dataclass(frozen=True)
class Beside:
    """What models and people did on one set.

    `rows` and `values` (by metric, empty where no trials of people are asked for) are
    by the ending of the benchmark's name and the model. `answers` has one read-out of
    each model: that by sums of those in `by_sums`. `people` are None for a `reason`.
    """

    name: str
    rows: Mapping[str, Mapping[str, Row]]
    values: Mapping[str, Mapping[str, Values]]
    answers: answers.Answers
    by_sums: frozenset[str]
    people: trials.Trials | None
    reason: str

    def value(self, model: str, metric: str) -> Value:
        """Return a number of a model, by the read-out that `answers` has of it."""
        ending = SUMS if model in self.by_sums else PLAIN
        absent = Value(math.nan, reason=self.reason or f"not measured: {self.name}")
        return self.values.get(ending, {}).get(model, {}).get(metric, absent)

    @functools.cached_property
    def among_people(self) -> float:
        """The error consistency of two observers, NaN without any."""
        if self.people is None:
            return math.nan
        return float(consistency.among_people(self.name, self.people).error)

    @functools.cached_property
    def between_halves(self) -> float:
        """The error consistency of two halves of the observers, NaN without any."""
        if self.people is None:
            return math.nan
        return consistency.between_halves(self.name, self.people)


def beside(
    rows: Sequence[Row],
    records: str | os.PathLike,
    manifests: str | os.PathLike,
    humans: epath.PathLike | None,
) -> list[Beside]:
    """Return what was measured on the sets that people saw, in their order.

    Args:
        rows: all complete cells.
        records: the folder of their per-example records.
        manifests: the folder of the sources' lists of examples.
        humans: a folder that holds `raw-data`, the trials of people; None if there is
            none.
    """
    cells: dict[str, dict[str, Row]] = {}
    for row in rows:
        cells.setdefault(row.benchmark, {})[row.model] = row
    found = []
    for name in reference.SETS:
        own = {e: cells.get(f"{PREFIX}{name}{e}", {}) for e in (PLAIN, SUMS)}
        if any(own.values()):
            found.append(_beside(name, own, records, manifests, humans))
    if found and humans is None:
        logging.info("models are not compared with people: %s", NOBODY)
    return found


def derived(found: Sequence[Beside]) -> list[derived_lines.Derived]:
    """Return the numbers of the long table, fractions, of sets and means over all sets.

    `model_vs_human/<set>[/sum]/<metric>` and `model_vs_human/<metric>[_sum]`. A mean is
    NaN where one of the seventeen sets lacks; it then says which.
    """
    lines = []
    for ending in (PLAIN, SUMS):
        models = {model for one in found for model in one.values.get(ending, ())}
        for model in sorted(models):
            own = {one.name: one for one in found if model in one.rows[ending]}
            for name, one in own.items():
                lines += [
                    derived_lines.Derived(
                        f"{PREFIX}{name}{ending}/{metric}",
                        value,
                        [one.rows[ending][model]],
                    )
                    for metric, value in one.values[ending][model].items()
                ]
            rows = [one.rows[ending][model] for one in own.values()]
            for metric in METRICS:
                values = {n: own[n].values[ending][model][metric] for n in own}
                name = f"{PREFIX}{metric}{ending.replace('/', '_')}"
                lines.append(derived_lines.Derived(name, mean(values), rows))
    return lines


def mean(values: Mapping[str, Value]) -> Value:
    """Return the mean over all sets, NaN where one lacks; `n` counts the images."""
    lacking = [
        name
        for name in reference.SETS
        if name not in values or math.isnan(values[name].value)
    ]
    n = sum(value.n for value in values.values())
    if lacking:
        reason = f"no comparison with people on {', '.join(lacking)}"
        return Value(math.nan, n=n, reason=reason)
    return Value(float(np.mean([value.value for value in values.values()])), n=n)


def _beside(
    name: str,
    rows: Mapping[str, Mapping[str, Row]],
    records: str | os.PathLike,
    manifests: str | os.PathLike,
    humans: epath.PathLike | None,
) -> Beside:
    found = {
        ending: answers.load(name, list(own.values()), records, manifests)
        for ending, own in rows.items()
    }
    people, reason = None, NOBODY
    if humans is not None:
        try:
            people, reason = trial_files.people(humans, name), ""
            consistency.used_conditions(name, people)
        except (ValueError, OSError) as error:
            people, reason = None, str(error)
    values = {}
    if humans is not None:
        values = {e: _values(name, found[e], people, reason) for e in found}
    chosen = answers.chosen(found[PLAIN], found[SUMS])
    by_sums = frozenset(rows[SUMS]) - frozenset(rows[PLAIN])
    return Beside(name, rows, values, chosen, by_sums, people, reason)


def _values(
    name: str, found: answers.Answers, people: trials.Trials | None, reason: str
) -> dict[str, Values]:
    """Return each model's numbers; NaN where trials lack or cannot be paired."""
    models = found.trials.makers
    lacking = dict(found.lacking)
    numbers: dict[str, Values] = {}
    try:
        if people is None:
            raise ValueError(reason)
        if models:
            compared = consistency.with_people(name, found.trials, people)
            n = int((consistency.used_conditions(name, people) >= 0).sum())
            numbers = {
                model: {
                    metric: Value(float(getattr(compared, field)[line]), n=n)
                    for metric, field in METRICS.items()
                }
                for line, model in enumerate(models)
            }
    except ValueError as error:
        lacking |= dict.fromkeys(models, str(error))
    return numbers | {
        model: dict.fromkeys(METRICS, Value(math.nan, reason=text))
        for model, text in lacking.items()
    }
