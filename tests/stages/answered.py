"""Runs whose models answered as told, without images, for the tests of stages."""

import numpy as np

from biases_jax import examples, labels, results
from biases_jax.types import Record

BENCHMARK = "natural/imagenet"
PROVENANCE = {
    "precision": "float32",
    "seed": 0,
    "preprocessing": "none_224",
    "benchmark_repr": "Benchmark()",
}


def measure(
    workdir,
    correct,
    predicted=None,
    models=("m",),
    ids=None,
    benchmark=BENCHMARK,
    records=True,
    **changes,
):
    """Write a run whose models answered like this; `changes` are of its numerics."""
    n = len(correct)
    ids = np.arange(n) if ids is None else np.asarray(ids)
    words = np.stack([ids, ids], 1).astype(np.uint32)
    predicted = np.arange(n) if predicted is None else predicted
    record = Record(
        predicted=np.asarray(predicted, np.int32),
        correct=np.asarray(correct, bool),
        margin=np.ones(n, np.float32),
        best5=np.zeros((n, 5), np.int32),
        negative_log_likelihood=np.ones(n, np.float32),
    )
    device = changes.pop("device_kind", "cpu")
    store = results.ResultsStore(workdir / "results", {"device_kind": device})
    for model in models:
        mark = f"{model}-{benchmark}-{workdir.name}-{sorted(changes.items())}"
        header = results.CellHeader(model, benchmark, mark, n, PROVENANCE | changes)
        part = examples.Part(model, benchmark, mark, 0, words, record)
        name = f"{store.name}-{model}"
        file = examples.write(workdir / "records", name, [part]) if records else ""
        sums = {"count": n, "top1": int(np.sum(correct)), "nonfinite": 0}
        order = labels.order_sha256(labels.packed_ids(words))
        store.append([header], [results.Block(mark, order, 0, n, sums, {}, file)])
    return workdir
