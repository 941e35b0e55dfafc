"""Does one model answer here as its reference does, and if not, why?"""

import dataclasses
import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from biases_jax.models import activations
from biases_jax.parity import causes, differences, gates, reference, runs
from biases_jax.parity.subjects import Subject

COARSER = (
    "agrees with {} and as far as that tells; {} not checked, since the reference has "
    "nothing as exact"
)
NOTHING = "not compared: none of the precisions asked for is there"


@dataclasses.dataclass(frozen=True)
class Row:
    """A comparison, the bounds that it breaks, and why it may break them.

    Yardsticks compare two runs of the reference with each other, so as to show what
    rounding alone does; nothing is asked of them.
    """

    comparison: differences.Comparison
    failures: tuple[str, ...] = ()
    cause: str = ""
    yardstick: bool = False


@dataclasses.dataclass(frozen=True)
class Result:
    """All that is known of one model; `verdict` says that it agrees, or why not.

    `rows` are in order of precision, the exact ones first; `absent` says of each
    precision that was asked for and could not be had why not.
    """

    model: str
    weights_sha256: str
    reference_sha256: str
    verdict: str
    rows: tuple[Row, ...] = ()
    absent: Mapping[str, str] = dataclasses.field(default_factory=dict)
    about: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Whether every comparison keeps its bounds, and there is one."""
        judged = [row for row in self.rows if not row.yardstick]
        return bool(judged) and not any(row.failures for row in judged)


def compare(
    subject: Subject,
    against: reference.Reference,
    pixels: activations.Pixels,
    precisions: Sequence[str],
) -> Result:
    """Ask a model in each precision, and compare with the reference's runs.

    Each is compared with the reference's most exact run, and with that of its own
    precision. Of other weights nothing is compared.

    Raises:
        ValueError: the images or the network are of another size.
    """
    about = {"here": {"framework": subject.framework, **subject.about}}
    about["reference"] = {
        run.title: {"framework": run.framework, **run.about}
        for run in against.runs.values()
    }

    def result(verdict, rows=(), absent=types.MappingProxyType({})):
        sums = (subject.weights_sha256, against.weights_sha256)
        return Result(subject.name, *sums, verdict, tuple(rows), dict(absent), about)

    if subject.weights_sha256 != against.weights_sha256:
        return result(causes.WEIGHTS)
    rows, absent = [], {}
    for precision in sorted(precisions, key=runs.PRECISIONS.index):
        if precision in subject.precisions:
            run = subject.run(pixels, precision, against.labels)
            rows += _rows(subject, run, against, pixels)
        else:
            absent[precision] = subject.lacking
    rows += [
        Row(differences.compare(b, a), yardstick=True) for a, b in _yardsticks(against)
    ]
    return result(_verdict(rows), rows, absent)


def refused(name: str, why: str) -> Result:
    """Return what is known of a model that could not be compared."""
    return Result(name, "", "", f"not compared: {why}")


def reader(about: Mapping[str, Any]) -> str:
    """Return who read the file in PyTorch's place, '' where torch itself did."""
    sides = (about.get("here", {}), *about.get("reference", {}).values())
    readers = {side.get("file_read_by", "torch") for side in sides}
    found = sorted(readers - {"torch"})
    return f"file read by {'; '.join(found)}" if found else ""


def _rows(
    subject: Subject,
    run: runs.Run,
    against: reference.Reference,
    pixels: activations.Pixels,
) -> Iterator[Row]:
    for other in _references(against, run.precision):
        found = differences.compare(run, other)
        failures = gates.failures(found)
        cause = causes.not_finite(run, other)
        if cause:
            failures = failures or [cause]
        elif failures and subject.normalize and subject.noise:
            what = [
                functools.partial(f, pixels) for f in (subject.noise, subject.epsilon)
            ]
            context = causes.Context(pixels, *subject.normalize, *what)
            cause = causes.cause(found, run, other, context)
        elif failures:
            cause = causes.unknown(found)
        yield Row(found, tuple(failures), cause)


def _references(against: reference.Reference, precision: str) -> list[runs.Run]:
    exact = min(against.runs, key=runs.PRECISIONS.index)
    return [
        against.runs[p] for p in dict.fromkeys((exact, precision)) if p in against.runs
    ]


def _yardsticks(against: reference.Reference) -> list[tuple[runs.Run, runs.Run]]:
    ordered = sorted(against.runs, key=runs.PRECISIONS.index)
    return [(against.runs[ordered[0]], against.runs[p]) for p in ordered[1:]]


def _verdict(rows: Sequence[Row]) -> str:
    """Return the cause that the most exact comparison shows, since it shows it best."""
    judged = [row for row in rows if not row.yardstick]
    failed = [row for row in judged if row.failures]
    if failed:
        return failed[0].cause
    if not judged:
        return NOTHING
    unchecked = [row.comparison for row in _most_exact(judged) if _is_coarser(row)]
    if unchecked:
        found = ", ".join(dict.fromkeys(c.b for c in unchecked))
        return COARSER.format(found, ", ".join(c.a for c in unchecked))
    return causes.AGREES


def _most_exact(rows: Sequence[Row]) -> list[Row]:
    """Return of each run the comparison with the reference's most exact one."""
    return list({row.comparison.a: row for row in reversed(rows)}.values())[::-1]


def _is_coarser(row: Row) -> bool:
    """Whether the reference is coarser than the run, so that it cannot check it."""
    return not row.comparison.a.endswith(f" {row.comparison.precision}")
