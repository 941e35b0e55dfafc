"""How are many models converted at a time, and what became of each?"""

import concurrent.futures
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from absl import logging
from etils import epath

from biases_jax import columns, sharding
from biases_jax.models import functions, layouts, spec, zoo
from biases_jax.models.names import Reference
from convert import run

HEADER = (
    "model",
    "file",
    "size",
    "sha256",
    "published",
    "weights",
    "licence",
    "seconds",
    "status",
)
NOTE = (
    "published: how much of the sum its authors published; weights: the norms of the "
    "sixteen 3x3 kernels, compared with those of the paper"
)
MOST_JOBS = 4  # by default; each holds up to three times its file in memory


class Attempt(NamedTuple):
    """A model with the outcome of its conversion, or the error in its place."""

    name: str
    outcome: run.Outcome | None
    error: Exception | None
    seconds: float

    @property
    def status(self) -> str:
        """'converted', 'unchanged' (it was converted before) or 'failed'."""
        if self.outcome is None:
            return "failed"
        return "unchanged" if self.outcome.skipped else "converted"


def convert(
    references: Sequence[Reference],
    weights_dir: str,
    out: epath.PathLike,
    layout: spec.Layout | None = None,
    offline: bool = False,
    jobs: int = 0,
) -> Iterator[Attempt]:
    """Convert checkpoints side by side; yield each as soon as it and all before it are.

    What fails costs its own model only. Functions are not among the references.

    Args:
        references: the models.
        weights_dir: folder of published files, see `run.convert`.
        out: folder of converted models.
        layout: of own models whose reference names none.
        offline: download nothing.
        jobs: models at a time; 0 stands for one a core, four at most.
    """

    def attempt(reference: Reference) -> Attempt:
        start = time.perf_counter()
        outcome, failure = None, None
        try:
            outcome = run.convert(
                reference.name,
                reference.path or None,
                weights_dir,
                out,
                layouts.LAYOUTS.get(reference.layout, layout),
                offline,
            )
        except functions.FAILURES as error:  # at this border, as for models
            failure = error
            if not isinstance(error, OSError | ValueError):
                logging.exception("%s: an unexpected failure", reference.name)
        return Attempt(reference.name, outcome, failure, time.perf_counter() - start)

    default = min(sharding.cores(), MOST_JOBS)
    # Threads: sums, copies and downloads hold no lock, and imports are shared.
    with concurrent.futures.ThreadPoolExecutor(jobs or default) as pool:
        futures = [pool.submit(attempt, reference) for reference in references]
        try:
            for future in futures:
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def table(attempts: Sequence[Attempt]) -> str:
    """Return one line a file as text in columns, and what needs more words below."""
    lines = [HEADER]
    notes = []
    for attempt in attempts:
        lines += _lines(attempt)
        if attempt.outcome is not None:
            notes += _notes(attempt.name, attempt.outcome)
    return "\n".join([columns.aligned(lines, names=len(HEADER)), NOTE, *notes])


def _lines(attempt: Attempt) -> list[tuple[str, ...]]:
    seconds, status = f"{attempt.seconds:.1f}", attempt.status
    if attempt.outcome is None:
        return [(attempt.name, *[""] * (len(HEADER) - 3), seconds, status)]
    manifest = attempt.outcome.manifest
    return [
        (
            attempt.name,
            source["file"],
            f"{source['bytes'] / 1e6:.1f} MB",
            source["sha256"][:12],
            _published(source["digits"]),
            manifest["fingerprint"]["status"] if part == "backbone" else "not covered",
            manifest["licence"] or "own",
            seconds,
            status,
        )
        for part, source in manifest["sources"].items()
    ]


def _published(digits: int) -> str:
    return {0: "not known", 64: "yes"}.get(digits, f"{digits} digits")


def _notes(name: str, outcome: run.Outcome) -> list[str]:
    found = outcome.manifest["fingerprint"]
    said = found["verdict"]
    notes = [] if said == found["status"] else [f"{name}: {said}"]
    if name in zoo.MODELS and zoo.MODELS[name].non_commercial:
        notes.append(f"{name}: not for commercial use ({zoo.MODELS[name].licence})")
    return notes
