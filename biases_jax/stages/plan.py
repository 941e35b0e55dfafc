"""Say what a run would do, and how long it would take, without doing it."""

import datetime
import time
from collections.abc import Sequence

import jax
import numpy as np
from absl import logging

from biases_jax import columns, results, schedule, sharding
from biases_jax.cells import SourceCells, by_source, missing, open_cells
from biases_jax.models import load, names, resnet
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.sources import preprocess
from biases_jax.stages.request import Request

UNCONVERTED = "not converted yet"  # stands for a weights hash: matches no row


def run(request: Request) -> int:
    """Print cells, images and forwards that are missing, and the time they need."""
    if request.unprepared:
        print(f"nothing can be counted yet: {request.preparation}; plan again then")
        return INCOMPLETE
    store = results.ResultsStore(request.results, {})
    weights = {r.name: _identity(request, r) for r in request.references}
    lines = [("source", "preprocessing", "cells", "missing", "decodes", "forwards")]
    forwards, code = 0, DONE
    for source, asked in by_source(request.benchmarks).items():
        try:
            cells = open_cells(request.config, source, asked, weights, request.sources)
        except (ImportError, OSError, ValueError) as error:
            logging.error("%s cannot be measured: %s", source, error)
            code = INCOMPLETE
            continue
        for name, reason in cells.lacking.items():
            logging.error("%s cannot be measured: %s", name, reason)
            code = INCOMPLETE
        lines.append(_line(request, store, cells))
        forwards += int(lines[-1][-1])
    print(columns.aligned(lines))
    print(_duration(request, store, forwards) if forwards else _nothing(lines, code))
    return code


def _identity(request: Request, reference: names.Reference) -> str:
    try:
        return load.weights_sha256(reference, request.checkpoints)
    except load.ModelError as error:
        if reference.function:
            raise ValueError(str(error)) from error
        return UNCONVERTED


def _line(
    request: Request, store: results.ResultsStore, cells: SourceCells
) -> tuple[str, ...]:
    todo = missing(store, cells, request.kept_records)
    forwards = sum(last - first for gaps in todo.values() for first, last in gaps)
    names = [r.name for r in request.references if any(r.name == m for m, _ in todo)]
    size = request.config.models_per_pass
    decodes = 0
    for start in range(0, len(names), size):
        chunk = names[start : start + size]
        part = {key: gaps for key, gaps in todo.items() if key[0] in chunk}
        planned = schedule.blocks(part, (0, len(cells.dataset)), 1)
        decodes += sum(block.last - block.first for block in planned)
    return (
        cells.dataset.source.name,
        cells.dataset.preprocessing,
        str(len(cells.headers)),
        str(len(todo)),
        str(decodes),
        str(forwards),
    )


def _nothing(lines: Sequence[tuple[str, ...]], code: int) -> str:
    """Return why there is nothing to do; `lines` are of a table with its header."""
    if code == DONE:
        return "nothing is missing"
    if len(lines) == 1:
        return "nothing can be measured: no source is usable"
    return "nothing is missing of what can be measured"


def _duration(request: Request, store: results.ResultsStore, forwards: int) -> str:
    rows = store.rows()
    seconds = sum(row.cost["seconds"] for row in rows)
    if seconds:
        rate = sum(row.cost["forwards"] for row in rows) / seconds
        basis = "the rows of this folder, one process"
    else:
        rate = _probe(request)
        basis = (
            "one timed batch of a full-size ResNet-50 on this machine's devices, the "
            "network alone; smaller ones are faster"
        )
    left = datetime.timedelta(seconds=round(forwards / rate))
    return (
        f"about {left} (h:mm:ss) for one process at {rate:.1f} forwards/s "
        f"(from {basis})"
    )


def _probe(request: Request) -> float:
    """Return forwards per second of the built-in full-size network, zero weights."""
    spread = sharding.spread(request.config.sharding)
    network = resnet.ResNet50(precision=request.config.precision)
    side = preprocess.SIZE
    shapes = jax.eval_shape(
        network.init, jax.random.key(0), np.zeros((1, side, side, 3), np.float32)
    )
    variables = jax.tree.map(lambda s: np.zeros(s.shape, s.dtype), shapes)
    apply = resnet.apply_function(precision=request.config.precision)
    function = spread.per_device(apply, (False, True))
    size = request.config.batch_size * len(spread.devices)
    images = spread.shard(np.zeros((size, side, side, 3), np.float32))
    variables = spread.replicate(variables)
    jax.block_until_ready(function(variables, images))  # compiles
    start = time.monotonic()
    jax.block_until_ready(function(variables, images))
    return size / (time.monotonic() - start)
