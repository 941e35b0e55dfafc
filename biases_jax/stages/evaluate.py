"""Fill the missing cells: every model on every benchmark."""

import json

import jax
from absl import logging

from biases_jax import passes, provenance, results, sharding
from biases_jax.cells import by_source, open_cells
from biases_jax.models import load
from biases_jax.session import Session
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages.request import Request

CORRUPT = ".corrupt.json"  # lists the images that a source could not decode
MATMUL_PRECISION = {  # our names to JAX'
    "float32": "highest",
    "tf32": "tensorfloat32",
    "bfloat16": "bfloat16",
}


def run(request: Request) -> int:
    """Measure every missing cell of the request; list what could not be."""
    config, process = request.config, request.settings.process
    session = Session(
        config=config,
        process=process,
        spread=sharding.spread(config.sharding),
        store=results.ResultsStore(request.results, provenance.of_run(config, process)),
        checkpoints=request.checkpoints,
        records=request.kept_records,
    )
    weights = identities(request)
    complete = len(weights) == len(request.references)
    references = [r for r in request.references if r.name in weights]
    # The built-in network sets its own precision; this is for models that do not.
    with jax.default_matmul_precision(MATMUL_PRECISION[config.precision]):
        for source, asked in by_source(request.benchmarks).items():
            try:
                cells = open_cells(config, source, asked, weights, request.sources)
            except (ImportError, OSError, ValueError) as error:
                logging.error("%s cannot be measured: %s", source, error)
                complete = False
                continue
            for name, reason in cells.lacking.items():
                logging.error("%s cannot be measured: %s", name, reason)
            complete &= not cells.lacking
            if process.leads:
                cells.dataset.write_manifest(request.sources)
            findings = passes.measure(session, cells, references)
            _report(request, source, findings, [*cells.headers])
            complete &= not (findings.corrupt or findings.failed)
    return DONE if complete else INCOMPLETE


def identities(request: Request) -> dict[str, str]:
    """Return the weights hash of each model that can be had; name the others."""
    found = {}
    for reference in request.references:
        if reference.name in request.failed:
            continue  # the stage before this one has said so
        try:
            found[reference.name] = load.weights_sha256(reference, request.checkpoints)
        except load.ModelError as error:
            logging.error("cannot be measured: %s", error)
    return found


def _report(
    request: Request,
    source: str,
    findings: passes.Findings,
    asked: list[tuple[str, str]],
):
    """List what could not be measured, here and, if it is images, for the report.

    The list for the report is void once all cells that were asked for are complete.
    """
    for reason in findings.failed.values():
        logging.error("cannot be measured on %s: %s", source, reason)
    name = source.replace("/", "-")  # a source's name has parts, its file has none
    path = request.sources / f"{name}.{request.settings.process.index}{CORRUPT}"
    if not findings.corrupt:
        path.unlink(missing_ok=True)
        return
    corrupt = list(findings.corrupt.items())
    listed = {"source": source, "corrupt": corrupt, "cells": asked}
    path.write_text(json.dumps(listed, indent=1))
    logging.error(
        "%d image(s) of %s cannot be decoded; no row is published for it:\n%s",
        len(corrupt),
        source,
        "\n".join(f"  {name}: {reason}" for name, reason in corrupt),
    )
