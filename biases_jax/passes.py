"""How are a source's missing cells measured and stored, block by block?

A pass decodes a source once for a few models. When a block is done its records and
its rows are written; a killed run loses the block at hand and nothing else.
"""

import collections
import dataclasses
import time
from collections.abc import Iterator, Sequence

import numpy as np

from biases_jax import evaluate, examples, results, schedule
from biases_jax.benchmark import Benchmark
from biases_jax.cells import Key, SourceCells, missing
from biases_jax.models import load
from biases_jax.models.names import Reference
from biases_jax.progress import Progress
from biases_jax.session import Session
from biases_jax.sources import loader, preprocess
from biases_jax.types import Record

CLASS_SPACES = {"imagenet", "real"}  # label spaces that are the models' own classes


@dataclasses.dataclass
class Measured:
    """What a block yielded: by cell, sums and records; for all, ids and time."""

    sums: dict[Key, collections.Counter]
    records: dict[Key, list[Record]]
    batches: list[loader.LoadedBatch]
    seconds: float = 0.0


@dataclasses.dataclass
class Findings:
    """What could not be measured: images and models, by name, with the reason."""

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
    records = session.records if session.config.records else None
    todo = missing(session.store, cells, records)
    findings = Findings()
    models = [r for r in references if any(model == r.name for model, _ in todo)]
    per_pass = session.config.models_per_pass
    for start in range(0, len(models), per_pass):
        chosen = models[start : start + per_pass]
        names = {reference.name for reference in chosen}
        part = {key: gaps for key, gaps in todo.items() if key[0] in names}
        _pass(session, cells, chosen, part, findings)
    return findings


def _pass(session, cells, references, todo, findings: Findings) -> None:
    """Decode the missing examples once for a few models."""
    process = session.process
    share = loader.share(len(cells.dataset), process.index, process.count)
    batch_size = session.batch_size(share[1] - share[0])
    if not schedule.blocks(todo, share, batch_size):
        return
    models = {}
    for reference in references:
        try:
            models[reference.name] = _place(session, cells, reference)
        except load.ModelError as error:
            findings.failed[reference.name] = str(error)
    todo = {key: gaps for key, gaps in todo.items() if key[0] in models}
    planned = schedule.blocks(todo, share, batch_size)
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
                _store(session, cells, block, measured)
    finally:
        batches.close()
        progress.close()
    findings.corrupt.update(source.corrupt)


def _place(
    session: Session, cells: SourceCells, reference: Reference
) -> evaluate.Model:
    loaded = load.load(reference, session.checkpoints, session.config.precision)
    spaces = {b.score.label for b in cells.benchmarks.values()} & CLASS_SPACES
    largest = max((int(cells.dataset.labels[s].max()) for s in spaces), default=0)
    load.check(loaded, preprocess.SIZE, largest)
    variables = session.spread.replicate(loaded.variables)
    return evaluate.Model(loaded.name, loaded.apply, variables)


def _block(session, cells, models, block, batches, progress) -> Measured:
    start = time.monotonic()
    found = Measured(
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
        if session.config.records:
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


def _store(session: Session, cells: SourceCells, block, measured: Measured):
    file = _write_records(session, cells, block, measured) if measured.records else ""
    n, share = block.last - block.first, len(block.cells)
    # What the cells of a block did together is divided among them, so that costs add
    # up to the run's.
    seconds, decodes = measured.seconds / share, n / share
    cost = {"seconds": seconds, "decodes": decodes, "forwards": n, "gradients": 0}
    session.store.append(
        [cells.headers[key] for key in block.cells],
        [
            results.Block(
                fingerprint=cells.headers[key].fingerprint,
                order=cells.dataset.order,
                first=block.first,
                last=block.last,
                sums=dict(measured.sums[key]),
                cost=cost,
                records=file,
            )
            for key in block.cells
        ],
    )


def _write_records(session, cells, block, measured) -> str:
    taken = [loaded.batch for loaded in measured.batches]
    ids = np.concatenate([batch["id"][batch["mask"]] for batch in taken])
    parts = [
        examples.Part(
            model=model,
            benchmark=benchmark,
            fingerprint=cells.headers[model, benchmark].fingerprint,
            first=block.first,
            ids=ids,
            record=Record(*(np.concatenate(c) for c in zip(*pieces, strict=True))),
        )
        for (model, benchmark), pieces in measured.records.items()
    ]
    name = f"{session.store.name}-{cells.dataset.source.name}-{block.first}"
    return examples.write(session.records, name, parts)
