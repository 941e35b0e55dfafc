"""Which cells are complete, which are not, and why?"""

import collections
import os
from collections.abc import Callable, Sequence

from biases_jax import columns, results
from biases_jax.rows import Problem, Row
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages.request import Request

Unfinished = Callable[[Sequence[Row | Problem]], list[tuple[str, str]]]
STATES = ("complete", "partial", "refused")


def run(request: Request) -> int:
    """Print the state of the results of a `Request`; return the exit code."""
    return status(request.results, request.unfinished)


def status(
    folders: str | os.PathLike | Sequence[str | os.PathLike],
    unfinished: Unfinished | None = None,
) -> int:
    """Print the state of all cells that results hold, by model and family.

    Args:
        folders: of results.
        unfinished: tells which of the cells that are asked for now are not complete
            (`Request.unfinished`); all cells in the results by default.

    Returns:
        0 if there are cells and those asked for are complete, else 3. Cells that an
        earlier run asked for and never began are listed with 0 examples.
    """
    try:
        journal = results.read(folders)
    except FileNotFoundError as error:
        print(f"nothing is measured yet: {error}")
        return INCOMPLETE
    verdicts = journal.verdicts()
    print(table(verdicts))
    problems = [verdict for verdict in verdicts if isinstance(verdict, Problem)]
    for problem in [*problems, *journal.conflicts()]:
        print(
            f"{problem.state}: {problem.model} on {problem.benchmark}:"
            f" {problem.n_seen} of {problem.n_expected}; {problem.reason}"
        )
    if unfinished is None:
        return DONE if verdicts and not problems else INCOMPLETE
    lacking = unfinished(verdicts)
    if lacking:
        models = ", ".join(sorted({model for model, _ in lacking}))
        print(f"{len(lacking)} of the cells asked for are not complete: {models}")
    return INCOMPLETE if lacking else DONE


def table(verdicts: Sequence[Row | Problem]) -> str:
    """Return the number of cells in each state, by model and family."""
    counts: dict[tuple, collections.Counter] = {}
    for verdict in verdicts:
        key = (verdict.model, verdict.benchmark.partition("/")[0])
        counts.setdefault(key, collections.Counter())[state(verdict)] += 1
    header = ("model", "family", *STATES)
    lines = [
        (model, family, *(str(count[state]) for state in STATES))
        for (model, family), count in sorted(counts.items())
    ]
    return columns.aligned([header, *lines])


def state(verdict: Row | Problem) -> str:
    """Return 'complete', 'partial' or 'refused'."""
    return "complete" if isinstance(verdict, Row) else verdict.state
