"""Can the files of an image set be decoded, and how long does that take here?"""

import os
import time
from collections.abc import Callable, Sequence
from concurrent import futures
from typing import NamedTuple

from biases_jax.doctor import findings, kinds
from biases_jax.sources import copy_errors, own, preprocess, records, trees
from biases_jax.sources.archives import TarFolder
from biases_jax.sources.dataset import Dataset
from biases_jax.sources.files import Folder

_RUNS = 8  # of neighbours, where a jump is slow


class Bad(NamedTuple):
    """A file of no use; `kind` is one of `kinds.KINDS`."""

    kind: str
    location: str
    reason: str


class Decoded(NamedTuple):
    """What decoding a sample tells; bytes and seconds are of the whole set.

    Exact bytes for a folder or archive, else both from the sample.
    """

    tried: int
    bad: list[Bad]
    bytes: int
    seconds: float


def sample_size(text: str) -> int | None:
    """Return how many images of a source to decode ('200'), None for 'all'.

    Raises:
        ValueError: it is neither.
    """
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"got --sample={text}, expected 1 or more, or 'all'")
    return int(text)


def sampled(examples: int, sample: int | None) -> list[int]:
    """Return evenly spaced indices, the same each time; a sample of None is all.

    A tree's order is that of hashed names: evenly spaced there is spread over classes.
    """
    count = examples if sample is None else min(sample, examples)
    return [number * examples // count for number in range(count)]


def in_runs(examples: int, sample: int | None) -> list[list[int]]:
    """Return indices in a few runs of neighbours, spread evenly; a None is one of all.

    For what is read in order, where each jump costs as much as a hundred images.
    """
    if sample is None or sample >= examples:
        return [list(range(examples))]
    # Two at least: the first of a run does not tell how long one takes.
    length = min(max(-(-sample // _RUNS), 2), sample)
    starts = [
        length * block for block in sampled(examples // length, -(-sample // length))
    ]
    indices = [start + step for start in starts for step in range(length)][:sample]
    return [indices[at : at + length] for at in range(0, len(indices), length)]


def decode(
    dataset: Dataset, sample: int | None, workers: int, seen: Callable[[int], None]
) -> Decoded:
    """Decode a sample, and every file of 0 bytes, under the set's own policy.

    Args:
        dataset: opened; its reader may be incomplete.
        sample: how many, None for all.
        workers: threads.
        seen: is called with 1 for each file.
    """
    sizes = _sizes(dataset)
    looked, timed, seconds, seeking = [], 0, 0.0, 0.0
    with futures.ThreadPoolExecutor(max(workers, 1)) as pool:
        for run in _runs(dataset, sample, sizes):
            # To seek the first is no part of what all take, one after the other.
            first, took = _looked(pool, dataset, run[:1], seen)
            rest, took_rest = _looked(pool, dataset, run[1:], seen)
            looked += first + rest
            timed += len(rest)
            seconds += took_rest
            seeking += took
    if not timed:
        timed, seconds = len(looked), seeking
    total = sum(length for _, length in looked)
    return Decoded(
        tried=len(looked),
        bad=[fault for fault, _ in looked if fault],
        bytes=sum(sizes) or round(total * len(dataset) / max(len(looked), 1)),
        seconds=seconds * len(dataset) / max(timed, 1),
    )


def faults(subject: str, decoded: Decoded) -> list[findings.Finding]:
    """Return one finding for each kind of bad file of the set of a name."""
    found = []
    changed = kinds.OWN if own.is_own(subject) else {}
    for kind, (what, advice) in (kinds.KINDS | changed).items():
        bad = [fault for fault in decoded.bad if fault.kind == kind]
        if bad:
            shown = findings.some([fault.location for fault in bad])
            message = (
                f"got {len(bad)} {what} among {decoded.tried} decoded ({shown}: "
                f"{bad[0].reason}), expected none; {advice}"
            )
            found.append(findings.Finding(subject, message))
    return found


def _runs(
    dataset: Dataset, sample: int | None, sizes: Sequence[int]
) -> list[list[int]]:
    if isinstance(dataset.reader, records.RecordStream):
        return in_runs(len(dataset), sample)
    empty = [index for index, size in enumerate(sizes) if not size]
    return [sorted({*sampled(len(dataset), sample), *empty})]


def _looked(
    pool: futures.Executor,
    dataset: Dataset,
    indices: Sequence[int],
    seen: Callable[[int], None],
) -> tuple[list[tuple[Bad | None, int]], float]:
    """Return what is wrong with each example, its size in bytes, and the seconds."""
    start = time.monotonic()
    found = []
    for one in pool.map(lambda index: _fault(dataset, index), indices):
        found.append(one)
        seen(1)
    return found, time.monotonic() - start


def _fault(dataset: Dataset, index: int) -> tuple[Bad | None, int]:
    """Return what is wrong with an example's file, and its size in bytes.

    A file of any content may be there, and no error that it raises in a library may
    hide what the other files tell: hence any is caught, and told with its type.
    """
    location, policy = dataset.locations[index], dataset.preprocessing
    try:
        data = dataset.encoded(index)
    except Exception as error:
        return Bad("unreadable", location, _said(error)), 0
    try:
        preprocess.decode(data, policy)
    except preprocess.CorruptImage as error:
        return Bad(kinds.of(data), location, str(error)), len(data)
    except Exception as error:
        return Bad("damaged", location, _said(error)), len(data)
    return None, len(data)


def _said(error: Exception) -> str:
    """Return a message, of errors that tell little without it with their type."""
    if isinstance(error, OSError | copy_errors.CopyError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def _sizes(dataset: Dataset) -> Sequence[int]:
    """Return the files' sizes in bytes where asking for them is quick."""
    reader = dataset.reader
    files = reader.files if isinstance(reader, trees.Tree) else None
    if isinstance(files, TarFolder):  # whose index has them
        return [files.size(place) for place in reader.locations]
    if not isinstance(files, Folder) or "://" in files.where:
        return ()  # of a bucket: a request for each
    paths = (os.path.join(files.where, place) for place in reader.locations)
    return [os.path.getsize(path) if os.path.exists(path) else 0 for path in paths]
