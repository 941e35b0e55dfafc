"""Turn the rows of the run's folder into tables, figures and a report."""

import json

from absl import logging

from biases_jax import results
from biases_jax.analysis import run as analysis
from biases_jax.models import zoo
from biases_jax.rows import Problem
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import evaluate
from biases_jax.stages.request import Request


def run(request: Request) -> int:
    """Write the report and print where it is; unfinished cells make it incomplete."""
    verdicts = results.read(request.results).verdicts()
    problems = [verdict for verdict in verdicts if isinstance(verdict, Problem)]
    page = analysis.analyse(
        request.results,
        request.records,
        request.report,
        categories={name: spec.category for name, spec in zoo.MODELS.items()},
        corrupt=_corrupt(request),
    )
    if problems:
        logging.error(
            "%d cell(s) are incomplete or refused; --stage=status lists them",
            len(problems),
        )
    print(f"tables: {request.report / 'wide.csv'}\nreport: {page}", flush=True)
    return INCOMPLETE if problems else DONE


def _corrupt(request: Request) -> list[tuple[str, str, str]]:
    found = []
    for path in sorted(request.sources.glob(f"*{evaluate.CORRUPT}")):
        listed = json.loads(path.read_text())
        found += [(listed["source"], *finding) for finding in listed["corrupt"]]
    return found
