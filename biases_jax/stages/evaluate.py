"""Fill the missing cells: every model on every benchmark."""

import json
from collections.abc import Sequence

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
        records=request.records,
    )
    ready = request.ready()
    complete = len(ready) == len(request.references)
    weights = {r.name: load.weights_sha256(r, request.checkpoints) for r in ready}
    # The built-in network sets its own precision; this is for models that do not.
    with jax.default_matmul_precision(MATMUL_PRECISION[config.precision]):
        for source, asked in by_source(request.benchmarks).items():
            try:
                cells = open_cells(config, source, asked, weights, request.sources)
            except (FileNotFoundError, ImportError, ValueError) as error:
                logging.error("%s cannot be measured: %s", source, error)
                complete = False
                continue
            if process.leads:
                cells.dataset.write_manifest(request.sources)
            corrupt = passes.measure(session, cells, ready)
            _report(request, source, corrupt)
            complete &= not corrupt
    return DONE if complete else INCOMPLETE


def _report(request: Request, source: str, corrupt: Sequence[tuple[str, str]]):
    """List images that could not be decoded, here and for the report."""
    path = request.sources / f"{source}.{request.settings.process.index}{CORRUPT}"
    if not corrupt:
        path.unlink(missing_ok=True)
        return
    path.write_text(json.dumps({"source": source, "corrupt": corrupt}, indent=1))
    logging.error(
        "%d image(s) of %s cannot be decoded; no row is published for it:\n%s",
        len(corrupt),
        source,
        "\n".join(f"  {name}: {reason}" for name, reason in corrupt),
    )
