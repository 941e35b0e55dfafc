"""Rows of a small study, for the tests of its analysis."""

import numpy as np

from biases_jax import examples, labels, results
from biases_jax.benchmarks import spectral
from biases_jax.types import Record

RUN = {
    "device_kind": "cpu",
    "date": "2026-01-02T03:04:05+00:00",
    "libraries": {"jax": "0.10.2", "numpy": "2.3"},
}
BENCHMARKS = ("natural/imagenet", *(b.name for b in spectral.benchmarks()))
N = 200
ORDER = labels.order_sha256(np.arange(N, dtype=np.uint64) * (2**32 + 1))


def header(model, benchmark, **changes):
    """Return the header of a cell of 200 examples."""
    identity = {
        "weights_sha256": f"weights of {model}",
        "benchmark_repr": benchmark,
        "revision": 1,
        "source_sha256": "s",
        "preprocessing": "pil_bilinear_256_224",
        "seed": 0,
        "precision": "float32",
    } | changes
    mark = results.fingerprint(**identity)
    provenance = {**identity, "source": "imagenet"}
    return results.CellHeader(model, benchmark, mark, N, provenance)


def top1(model, benchmark):
    """Return how many of the 200 a model has right: another number in each cell."""
    if benchmark == "natural/imagenet":
        return 150 if model == "a" else 140
    return 10 + 3 * BENCHMARKS.index(benchmark) + (model == "a")


def blocks(cell, edges=(0, 80, 160, N), file=""):
    """Return blocks of a cell that end at these edges."""
    hits = np.arange(N) < top1(cell.model, cell.benchmark)
    return [
        results.Block(
            cell.fingerprint,
            ORDER,
            first,
            last,
            {
                "count": last - first,
                "top1": int(hits[first:last].sum()),
                "top5": last - first,
                "nonfinite": 0,
                "loss": 0.1 * (last - first),
            },
            {"seconds": 1.5, "decodes": 1, "forwards": last - first, "gradients": 0},
            file,
        )
        for first, last in zip(edges, edges[1:], strict=False)
    ]


def fill(folder, models=("a", "b"), benchmarks=BENCHMARKS, edges=(0, 80, 160, N)):
    """Measure everything in one run; return the store."""
    store = results.ResultsStore(folder, RUN)
    cells = [header(model, benchmark) for model in models for benchmark in benchmarks]
    store.append(cells, [block for cell in cells for block in blocks(cell, edges)])
    return store


def records(n=N):
    """Return the ids and records of n examples."""
    ids = np.stack([np.arange(n), np.arange(n)], 1).astype(np.uint32)
    ones = np.ones(n, np.float32)
    best = np.zeros((n, 5), np.int32)
    return ids, Record(np.zeros(n, np.int32), ones > 0, ones, best, ones)


def write_records(folder, cell):
    """Write the records of a whole cell; return the file's name."""
    part = examples.Part(cell.model, cell.benchmark, cell.fingerprint, 0, *records())
    return examples.write(folder, "records", [part])
