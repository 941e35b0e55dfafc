"""Which number has a model, and why has it none?"""

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import pyarrow as pa

from biases_jax.analysis import page, table
from biases_jax.types import Value

NAMED = 12  # models in a caption; and reasons


class Numbers:
    """The values of a long table by model and name ('<benchmark>/<metric>')."""

    def __init__(self, long: pa.Table, unseen: Collection[str] = ()):
        self._unseen = unseen
        self._values: dict[str, dict[str, Value]] = {}
        for line in long.to_pylist():
            name = f"{line['benchmark']}/{line['metric']}"
            self._values.setdefault(line["model"], {})[name] = table.value_of(line)
        self.models = sorted(self._values)

    def get(self, model: str, name: str) -> Value:
        """Return a model's value, NaN with a reason where the table has none."""
        found = self._values.get(model, {}).get(name)
        if found:
            return found
        return Value(math.nan, reason=f"not measured: {name.rpartition('/')[0]}")

    def seen_by_people(self, start: str) -> str:
        """Return what a caption must add where images of sources are not people's.

        `start` is what the sources' names begin with.
        """
        if not any(source.startswith(start) for source in self._unseen):
            return ""
        return " People saw the published images, not these."

    def matches(self, pattern: re.Pattern) -> Iterator[re.Match]:
        """Yield what matches the pattern whole of the names that any model has."""
        names = {name for values in self._values.values() for name in values}
        yield from filter(None, map(pattern.fullmatch, sorted(names)))


def drawable(value: Value) -> bool:
    """Return whether there is a number to draw."""
    return not math.isnan(value.value)


def missing(gaps: Iterable[tuple[str, Value]]) -> str:
    """Return which (model, value) are not drawn since NaN, to be added to a caption."""
    reasons: dict[str, dict[str, None]] = {}
    for model, value in gaps:
        if math.isnan(value.value):
            reasons.setdefault(value.reason, {})[model] = None
    if not reasons:
        return ""
    told = [f"{listed(list(f))} ({page.brief(why)})" for why, f in reasons.items()]
    return f" Not drawn: {listed(told, '; ')}."


def by_sums(models: Sequence[str]) -> str:
    """Return whose numbers are by sums of probabilities, to be added to a caption."""
    if not models:
        return ""
    return (
        " By the sums, not the means, of the probabilities of a category's classes (for"
        f" models that know few of them): {listed(models)}."
    )


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """Return names as text, the first `NAMED` of them."""
    more = len(names) - NAMED
    rest = [f"and {more} more, see long.csv"] if more > 0 else []
    return separator.join([*names[:NAMED], *rest])
