"""How are a source's missing cells measured, a few models at a time?

A pass decodes a source once for a few models. What a block yields is stored when it
is done; a killed run loses the block at hand and nothing else.
"""

import collections
import dataclasses
import time
from collections.abc import Iterator, Sequence

from absl import logging

from biases_jax import blocks, evaluate, placement, schedule
from biases_jax.benchmark import Benchmark
from biases_jax.cells import Key, SourceCells, missing
from biases_jax.models import functions, load
from biases_jax.models.names import Reference
from biases_jax.progress import Progress
from biases_jax.session import Session
from biases_jax.sources import copy_errors, loader
from biases_jax.types import Record

Missing = dict[Key, list[schedule.Interval]]


@dataclasses.dataclass
class Findings:
    """What could not be measured: images, models, cells, a copy; with the reason."""

    corrupt: dict[str, str] = dataclasses.field(default_factory=dict)
    failed: dict[str, str] = dataclasses.field(default_factory=dict)


def measure(
    session: Session, cells: SourceCells, references: Sequence[Reference]
) -> Findings:
    """Measure this process' share of what is missing of one source.

    Blocks with an image that cannot be decoded are not stored, and neither is
    anything of a model that fails: their cells stay incomplete.
    """
    if session.process.leads:
        session.store.claim(cells.headers.values())
    todo = _own(session, cells, missing(session.store, cells, session.records))
    findings = Findings()
    models = [r for r in references if any(model == r.name for model, _ in todo)]
    per_pass = session.config.models_per_pass
    for start in range(0, len(models), per_pass):
        chosen = models[start : start + per_pass]
        names = {reference.name for reference in chosen}
        part = {key: gaps for key, gaps in todo.items() if key[0] in names}
        _pass(session, cells, chosen, part, findings)
    return findings


def _own(session: Session, cells: SourceCells, todo: Missing) -> Missing:
    """Return the cells that lack examples of this process' share."""
    blocks_left = schedule.blocks(todo, _share(session, cells), schedule.BLOCK)
    wanted = {cell for block in blocks_left for cell in block.cells}
    return {cell: gaps for cell, gaps in todo.items() if cell in wanted}


def _share(session: Session, cells: SourceCells) -> schedule.Interval:
    process = session.process
    return loader.share(len(cells.dataset), process.index, process.count)


def _pass(session, cells, references, todo, findings: Findings) -> None:
    """Decode the missing examples once for a few models.

    If measuring fails, each model is measured alone, and who fails again is left out.
    Cells whose score refuses the model are left out as well.
    """
    models, unsuited = {}, {}
    for reference in references:
        name = reference.name
        try:
            models[name], classes = placement.place(session, cells, reference)
        except load.ModelError as error:
            findings.failed[name] = str(error)
        else:
            unsuited |= placement.unsuited(cells, name, classes)
    findings.failed |= {" on ".join(key): reason for key, reason in unsuited.items()}
    todo = {
        key: gaps
        for key, gaps in todo.items()
        if key[0] in models and key not in unsuited
    }
    try:
        _blocks(session, cells, models, todo, findings)
    except OSError:
        raise  # of files, not of a model
    except copy_errors.CopyError as error:  # likewise; other sources can be measured
        findings.failed[cells.dataset.source.name] = str(error)
    except functions.FAILURES as error:
        placed = list(models)
        models.clear()  # frees the devices' memory, of which there may be too little
        if len(placed) == 1:
            reason = f"{placed[0]}: {type(error).__name__}: {error}"
            findings.failed[placed[0]] = reason
            return
        logging.warning(
            "a model fails (%s): measuring each alone", type(error).__name__
        )
        for reference in references:
            if reference.name in placed:
                again = missing(session.store, cells, session.records)
                own = {k: gaps for k, gaps in again.items() if k[0] == reference.name}
                _pass(session, cells, [reference], own, findings)


def _blocks(session, cells, models, todo, findings: Findings) -> None:
    share = _share(session, cells)
    batch_size = session.batch_size(share[1] - share[0])
    planned = schedule.blocks(todo, share, batch_size)
    if not planned:
        return
    forwards = sum((block.last - block.first) * len(block.cells) for block in planned)
    progress = Progress(forwards, f"{cells.dataset.source.name} x {len(models)} models")
    source = loader.Loader(cells.dataset, session.config.workers)
    ranges = [(block.first, block.last) for block in planned]
    batches = source.batches(ranges, batch_size)
    try:
        for block in planned:
            bad = len(source.corrupt)
            measured = _block(session, cells, models, block, batches, progress)
            if len(source.corrupt) == bad:
                blocks.store(session, cells, block, measured)
    finally:
        batches.close()
        progress.close()
        findings.corrupt.update(source.corrupt)


def _block(session, cells, models, block, batches, progress) -> blocks.Measured:
    start = time.monotonic()
    found = blocks.Measured(
        collections.defaultdict(collections.Counter), collections.defaultdict(list), []
    )
    for outcome in evaluate.evaluate(
        models,
        _benchmarks(cells, block),
        _images(batches, block, found.batches),
        session.spread,
        session.config.seed,
    ):
        key = (outcome.model, outcome.benchmark.name)
        mask = found.batches[outcome.batch].batch["mask"]
        found.sums[key].update(outcome.sums)
        if session.records is not None:
            kept = Record(*(column[mask] for column in outcome.record))
            found.records[key].append(kept)
        progress.add(int(mask.sum()), outcome.benchmark.name)
    found.seconds = time.monotonic() - start
    return found


def _benchmarks(
    cells: SourceCells, block: schedule.Block
) -> dict[Benchmark, list[str]]:
    wanted: dict[Benchmark, list[str]] = {}
    for model, benchmark in block.cells:
        wanted.setdefault(cells.benchmarks[benchmark], []).append(model)
    return wanted


def _images(batches, block, taken) -> Iterator:
    """Yield the block's batches, keeping what the host needs of each in `taken`."""
    position = block.first
    while position < block.last:
        loaded = next(batches)
        light = {name: v for name, v in loaded.batch.items() if name != "image"}
        taken.append(loaded._replace(batch=light))
        position = loaded.last
        yield loaded.batch
