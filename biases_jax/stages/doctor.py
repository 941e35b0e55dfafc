"""Are data, checkpoints and devices fit for the run that is asked for?"""

import datetime
from collections.abc import Sequence

from absl import logging

from biases_jax import columns, progress
from biases_jax.benchmark import Benchmark
from biases_jax.doctor import (
    checkpoints,
    chosen,
    devices,
    disk,
    findings,
    sources,
    variant,
    views,
    weights,
)
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.sources import catalog
from biases_jax.stages.request import Request

_IMAGES = progress.Unit("images", "images", "image")


def run(request: Request) -> int:
    """Print tables, notes and numbered findings; return 0 without findings, else 3.

    Only reads, also in the run's folder.
    """
    found: list[findings.Finding] = []
    wanted = chosen.asked(request.settings.sources, request.benchmarks)
    images, examined = _sources(request, wanted)
    models, unconverted = _checkpoints(request)
    found += images + models + _disk(request, examined, unconverted)
    try:
        print("\n".join(devices.described()))
    except RuntimeError as error:
        message = f"got {error}, expected a device; check JAX's installation"
        found.append(findings.Finding("devices", message))
    return _told(found)


def _told(found: Sequence[findings.Finding]) -> int:
    """Print notes and faults, and return what they come to."""
    faults = [finding for finding in found if finding.grave]
    for kind, those in (
        ("notes", [finding for finding in found if not finding.grave]),
        ("findings", faults),
    ):
        if those:
            print(f"\n{len(those)} {kind}:\n{findings.numbered(those)}")
    if not faults:
        print("all is well")
    return INCOMPLETE if faults else DONE


def _sources(
    request: Request, asked: dict[str, list[Benchmark]]
) -> tuple[list[findings.Finding], list[sources.Examined]]:
    """Print the table; return the findings, and each source as it was examined."""
    sample = request.settings.sample
    planned = {name: _planned(name, sample) for name in asked}
    shown = progress.Progress(sum(planned.values()), "doctor", _IMAGES)
    examined, clean = [], views.Clean(request.config.data_dir)
    for name, benchmarks in asked.items():
        logging.info("%s: listing and decoding", name)
        one = sources.examine(
            catalog.SOURCES[name],
            benchmarks,
            request.config,
            request.sources,
            sample,
            lambda count, name=name: shown.add(count, name),
            clean,
        )
        shown.add(planned[name] - one.decoded, name)  # those that are not there
        examined.append(one)
    shown.close()
    rows = [catalog.SOURCES[name] for name in asked]
    grouped = sources.grouped(rows, examined, request.config.data_dir)
    print(columns.aligned([sources.HEADER, *(found.line for found in grouped)]))
    seconds = round(sum(found.seconds for found in examined))
    print(
        f"decoding all of it once takes about {datetime.timedelta(seconds=seconds)} "
        f"(h:mm:ss) here, with {max(request.config.workers, 1)} workers\n"
    )
    found = _findings(request, grouped)
    found += variant.notes([one.unlike for one in examined if one.unlike])
    return found, examined


def _findings(
    request: Request, examined: Sequence[sources.Examined]
) -> list[findings.Finding]:
    """Return what was found of sources; what the run has yet to make is no fault."""
    there = [one for one in examined if not (one.absent and request.unprepared)]
    found = [finding for one in there for finding in one.findings]
    absent = sum(one.absent is not None for one in examined)
    if absent and request.prepares:
        message = (
            f"got {absent} lines of the table without images, expected that before the "
            f"first start: {request.preparation}; what is absent afterwards is not made"
        )
        found.append(findings.Finding("images", message, grave=False))
    return found


def _planned(name: str, sample: int | None) -> int:
    """Return how many images of a complete source are decoded."""
    expected = catalog.SOURCES[name].expected
    known = expected.examples if expected else 0
    return known if sample is None else min(known, sample)


def _checkpoints(request: Request) -> tuple[list[findings.Finding], disk.Models]:
    """Print the table; return the findings, and what is still to be converted."""
    config, sums = request.config, request.settings.sample is None
    lines, found, missing = [checkpoints.HEADER], [], []
    for reference in request.references:
        line, wrong = checkpoints.examine(reference, request.checkpoints)
        found += wrong
        if line[1] == checkpoints.UNCONVERTED:
            looked = weights.look(reference, config.weights_dir, sums)
            found += looked.findings
            missing += looked.missing
            line = (*line[:-1], looked.state)
        lines.append(line)
    print(columns.aligned(lines) + "\n")
    convert = sum(line[1] == checkpoints.UNCONVERTED for line in lines)
    models = disk.Models(convert, len(dict.fromkeys(missing)))
    return found + weights.to_fetch(missing, config.offline), models


def _disk(
    request: Request, examined: Sequence[sources.Examined], models: disk.Models
) -> list[findings.Finding]:
    """Print what is there and still to come; return notes of a lack of room."""
    config = request.config
    there = sum(one.bytes for one in examined)
    sought = [] if request.unprepared else examined
    absent = disk.absent([one.absent.source for one in sought if one.absent])
    folders = {
        "images": (config.data_dir or config.tfds_dir, absent),
        "weights": (weights.place(config.weights_dir), models.download_bytes),
        "the run": (str(request.settings.workdir), models.bytes),
    }
    print("\n".join(disk.described(there, absent, models, folders)))
    return disk.shortages(folders)
