"""Turn the rows of the run's folder into tables, figures and a report."""

import json
from collections.abc import Sequence
from typing import Any

from absl import logging

from biases_jax import results
from biases_jax.analysis import parity
from biases_jax.analysis import run as analysis
from biases_jax.humans import trial_files
from biases_jax.models import checkpoints, origin
from biases_jax.rows import Problem, Row
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import evaluate, gallery
from biases_jax.stages.request import Request


def run(request: Request) -> int:
    """Write the report and print where it is; unfinished cells make it incomplete."""
    compared = parity.read([request.parity])
    journal = _journal(request, compared)
    verdicts = journal.verdicts()
    unfinished = request.unfinished(verdicts)
    page = analysis.analyse(
        journal,
        request.records,
        request.report,
        pictures=gallery.pictures(request.report),
        corrupt=_corrupt(request, verdicts),
        checkpoints=_manifests(request, verdicts),
        compared=parity.of_weights(compared, _weights(request, compared)),
        manifests=request.sources,
        humans=trial_files.find(request.config.data_dir),
    )
    if unfinished:
        logging.error(
            "%d of the cells asked for are not complete; --stage=status lists them",
            len(unfinished),
        )
    print(f"tables: {request.report / 'wide.csv'}\nreport: {page}", flush=True)
    return INCOMPLETE if unfinished else DONE


def _journal(request: Request, compared: Sequence[parity.Record]) -> results.Journal:
    """Return all results; none at all will do where models were compared."""
    try:
        return results.read(request.results)
    except FileNotFoundError:
        if not compared:
            raise
        logging.error("no cell is measured yet: there is no %s", request.results)
        return results.Journal()


def _weights(request: Request, compared: Sequence[parity.Record]) -> dict[str, str]:
    """Return the sums of the weights that the compared models have here now."""
    models = [record["model"] for record in compared]
    folders = {model: request.checkpoints / model for model in models}
    return {
        model: origin.identity(checkpoints.read_manifest(folder))
        for model, folder in folders.items()
        if checkpoints.is_complete(folder)
    }


def _manifests(
    request: Request, verdicts: Sequence[Row | Problem]
) -> list[dict[str, Any]]:
    """Return the manifests of the weights that were measured, as far as they are here.

    Where a model was converted anew and not measured since, there is none.
    """
    found = []
    measured = {(v.model, v.provenance.get("weights_sha256")) for v in _rows(verdicts)}
    for model in sorted({model for model, _ in measured}):
        folder = request.checkpoints / model
        if checkpoints.is_complete(folder):
            manifest = checkpoints.read_manifest(folder)
            if (model, origin.identity(manifest)) in measured:
                found.append(manifest)
    return [manifest for manifest in found if "fingerprint" in manifest]


def _rows(verdicts: Sequence[Row | Problem]) -> list[Row]:
    return [verdict for verdict in verdicts if isinstance(verdict, Row)]


def _corrupt(
    request: Request, verdicts: Sequence[Row | Problem]
) -> list[tuple[str, str, str]]:
    """Return images that could not be decoded and have not been measured since."""
    complete = {(v.model, v.benchmark) for v in _rows(verdicts)}
    found = []
    for path in sorted(request.sources.glob(f"*{evaluate.CORRUPT}")):
        listed = json.loads(path.read_text())
        if not set(map(tuple, listed["cells"])) <= complete:
            found += [(listed["source"], *finding) for finding in listed["corrupt"]]
    return found
