"""Which cells does a run ask for, and what identifies each of them?"""

import dataclasses
import functools
from collections.abc import Mapping, Sequence

from etils import epath

from biases_jax import labels, results
from biases_jax.benchmark import Benchmark
from biases_jax.config import EvaluateConfig
from biases_jax.schedule import Interval
from biases_jax.sources import catalog, dataset

Key = tuple[str, str]  # (model, benchmark name)


@dataclasses.dataclass(frozen=True)
class SourceCells:
    """All cells of one source: `headers` by (model, benchmark name).

    `lacking` names the benchmarks whose labels, or whose own files, are not there, and
    says why; they have no cells.
    """

    dataset: dataset.Dataset
    benchmarks: dict[str, Benchmark]
    headers: dict[Key, results.CellHeader]
    lacking: dict[str, str] = dataclasses.field(default_factory=dict)


def by_source(benchmarks: Sequence[Benchmark]) -> dict[str, list[Benchmark]]:
    """Return the benchmarks grouped by the source they read, in order."""
    groups: dict[str, list[Benchmark]] = {}
    for benchmark in benchmarks:
        groups.setdefault(benchmark.source, []).append(benchmark)
    return groups


def open_cells(
    config: EvaluateConfig,
    source: str,
    benchmarks: Sequence[Benchmark],
    weights: Mapping[str, str],
    manifests: epath.PathLike,
) -> SourceCells:
    """Open a source and name its cells.

    Args:
        config: of the run.
        source: its name in the catalogue.
        benchmarks: those that read it.
        weights: model name to weights sha256.
        manifests: the folder of the sources' manifests.

    Raises:
        FileNotFoundError, ValueError: the source is absent or not as published.
    """
    opened = dataset.open_source(
        catalog.SOURCES[source], config.data_dir, config.tfds_dir, manifests
    )
    reasons = {b.name: opened.lacks(b.score.label) or b.lacks() for b in benchmarks}
    usable = [b for b in benchmarks if not reasons[b.name]]
    headers = {
        (model, benchmark.name): _header(config, opened, benchmark, model, sha256)
        for benchmark in usable
        for model, sha256 in weights.items()
    }
    lacking = {name: reason for name, reason in reasons.items() if reason}
    return SourceCells(opened, {b.name: b for b in usable}, headers, lacking)


def missing(
    store: results.ResultsStore, cells: SourceCells, records: epath.Path | None
) -> dict[Key, list[Interval]]:
    """Return the runs of examples that each unfinished cell still lacks.

    `records` is the folder in which per-example records must lie for a block to
    count, or None if they are not wanted.
    """

    @functools.cache
    def there(file: str) -> bool:
        path = records / file if file and records is not None else None
        return path is not None and path.exists() and path.stat().length > 0

    def usable(block: results.Block) -> bool:
        return records is None or there(block.records)

    gaps = {
        key: store.missing(header, cells.dataset.order, usable)
        for key, header in cells.headers.items()
    }
    return {key: found for key, found in gaps.items() if found}


def _header(config, opened, benchmark, model, weights_sha256) -> results.CellHeader:
    identity = {
        "weights_sha256": weights_sha256,
        "benchmark_repr": repr(benchmark),
        "revision": benchmark.revision,
        "source_sha256": opened.sha256(benchmark.score.label),
        "preprocessing": opened.preprocessing,
        "seed": config.seed,
        "precision": config.precision,
    }
    return results.CellHeader(
        model=model,
        benchmark=benchmark.name,
        fingerprint=results.fingerprint(**identity),
        n_expected=len(opened),
        provenance={
            **identity,
            "source": benchmark.source,
            "label_space": benchmark.score.label,
            "n_unique": opened.n_unique,
            "class_map_sha256": labels.CLASS_MAP_SHA256,
            "labels": opened.proof,
            "drawn": opened.drawn,
        },
    )
