"""Is an image set there, complete, and labelled as published?"""

import collections
import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from etils import epath

from biases_jax import labels
from biases_jax.benchmark import Benchmark
from biases_jax.config import EvaluateConfig
from biases_jax.doctor import images, labelled, variant, views
from biases_jax.doctor.absent import Absent, finding, tree
from biases_jax.doctor.findings import Finding, some
from biases_jax.sources import dataset, locate, validation
from biases_jax.sources.source import Source

# What readers raise on files of any content; none of it stops the other sources.
_FAILURES = (ImportError, LookupError, OSError, RuntimeError, TypeError, ValueError)
HEADER = (
    *("source", "place", "images", "classes", "expected", "labels", "spaces"),
    *("decoded", "bad", "MB", "seconds"),
)


@dataclasses.dataclass(frozen=True)
class Examined:
    """A line of the table under `HEADER`, and what is wrong.

    `decoded` images were looked at; all of them take `bytes` and `seconds`. `absent` is
    set where there is nothing to look at, `unlike` for sets that are made anew by many.
    """

    line: tuple[str, ...]
    findings: list[Finding]
    decoded: int = 0
    bytes: int = 0
    seconds: float = 0.0
    absent: Absent | None = None
    unlike: variant.Variant | None = None


def examine(
    source: Source,
    asked: Sequence[Benchmark],
    config: EvaluateConfig,
    manifests: epath.Path,
    sample: int | None,
    seen: Callable[[int], None],
    clean: views.Clean | None = None,
) -> Examined:
    """Look at all of a source that can be looked at; write nothing.

    Args:
        source: of the catalogue.
        asked: the benchmarks that read it.
        config: of the run: where sources lie.
        manifests: the run's folder of lists, which is only read.
        sample: how many images to decode, None for all.
        seen: is called with the number of images decoded.
        clean: the clean images of the same root, if they were opened before.
    """
    places = (config.data_dir, config.tfds_dir, manifests)
    try:
        reader, where, _ = locate.locate(source, *places)
        opened = dataset.with_added(dataset.Dataset(source, reader), config.data_dir)
        one = _examined(opened, where, asked, config, sample, seen)
        clean = clean or views.Clean(config.data_dir)
        return dataclasses.replace(one, unlike=variant.look(opened, sample, clean))
    except locate.AbsentError as error:
        absent = Absent(source, error.tried)
        found = [finding([absent], 1, config.data_dir)]
        return Examined(_line(source.name, "not found"), found, absent=absent)
    except _FAILURES as error:
        return Examined(
            _line(source.name, "refused"), [Finding(source.name, str(error))]
        )


def grouped(
    sources: Sequence[Source], examined: Sequence[Examined], data_dir: str
) -> list[Examined]:
    """Return what was examined, with the absent parts of a tree as one.

    Args:
        sources: all that were asked for.
        examined: one for each, in the same order.
        data_dir: root of the image folders; '' for none.
    """
    asked = collections.Counter(tree(source) for source in sources)
    absent: dict[str, list[Absent]] = collections.defaultdict(list)
    for one in examined:
        if one.absent is not None:
            absent[tree(one.absent.source)].append(one.absent)
    found = []
    for one in examined:
        parts = absent.pop(tree(one.absent.source), []) if one.absent else []
        if len(parts) > 1:
            name = tree(parts[0].source)
            line = _line(f"{name} ({len(parts)} sets)", "not found")
            said = finding(parts, asked[name], data_dir)
            found.append(dataclasses.replace(one, line=line, findings=[said]))
        elif parts or not one.absent:
            found.append(one)
    return found


def _examined(
    opened: dataset.Dataset,
    where: str,
    asked: Sequence[Benchmark],
    config: EvaluateConfig,
    sample: int | None,
    seen: Callable[[int], None],
) -> Examined:
    source, expected = opened.source, opened.reader.expected
    found = [Finding(source.name, text) for text in _problems(opened, where)]
    lacking = [opened.lacks(b.score.label) or b.lacks() for b in asked]
    found += [
        Finding(source.name, reason) for reason in dict.fromkeys(lacking) if reason
    ]
    found += labelled.strays(opened)
    found += labelled.proof(opened)
    decoded = images.decode(opened, sample, config.workers, seen)
    found += images.faults(source.name, decoded)
    line = (
        source.name,
        where,
        str(len(opened)),
        str(len(np.unique(opened.labels[source.space][:, 0]))),
        f"{expected.examples}/{expected.classes}" if expected else "any",
        opened.proof,
        "+".join(sorted(opened.labels)),
        str(decoded.tried),
        str(len(decoded.bad)),
        f"{decoded.bytes / 1e6:.1f}",
        f"{decoded.seconds:.0f}",
    )
    return Examined(line, found, decoded.tried, decoded.bytes, decoded.seconds)


def _problems(opened: dataset.Dataset, where: str) -> Iterator[str]:
    """Yield all that would make a run refuse the source, not only the first."""
    for name, check in dataset.checks(opened, where).items():
        try:
            check()
        except ValueError as error:
            lacking = _lacking(opened) if name == "counts" else []
            yield f"{error}" + (f"; absent: {some(lacking)}" if lacking else "")


def _lacking(opened: dataset.Dataset) -> list[str]:
    """Return the absent classes or numbers, where the published counts say which."""
    source = opened.source
    if opened.declared:
        return []
    if source.classes:
        classes = opened.labels[source.space][:, :1]
        lacking = np.setdiff1d(source.classes, classes).tolist()
        return [labels.describe(index) for index in lacking]
    if source.numbered and validation.are_numbered(opened.names):
        there = validation.numbers(opened.names)
        lacking = np.setdiff1d(np.arange(1, validation.IMAGES + 1), there)
        return [f"ILSVRC2012_val_{n:08d}" for n in lacking.tolist()]
    return []


def _line(name: str, state: str) -> tuple[str, ...]:
    return (name, state, *["-"] * (len(HEADER) - 2))
