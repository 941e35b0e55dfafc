"""Turn the rows of the run's folder into tables, figures and a report."""

import json

from absl import logging

from biases_jax import results
from biases_jax.analysis import run as analysis
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import evaluate
from biases_jax.stages.request import Request


def run(request: Request) -> int:
    """Write the report and print where it is; unfinished cells make it incomplete."""
    verdicts = results.read(request.results).verdicts()
    unfinished = request.unfinished(verdicts)
    page = analysis.analyse(
        request.results,
        request.records,
        request.report,
        corrupt=_corrupt(request) if unfinished else (),
    )
    if unfinished:
        logging.error(
            "%d of the cells asked for are not complete; --stage=status lists them",
            len(unfinished),
        )
    print(f"tables: {request.report / 'wide.csv'}\nreport: {page}", flush=True)
    return INCOMPLETE if unfinished else DONE


def _corrupt(request: Request) -> list[tuple[str, str, str]]:
    found = []
    for path in sorted(request.sources.glob(f"*{evaluate.CORRUPT}")):
        listed = json.loads(path.read_text())
        found += [(listed["source"], *finding) for finding in listed["corrupt"]]
    return found
