"""Which examples does a cell judge? The others are neither right nor wrong in it."""

import jax
import jax.numpy as jnp
import numpy as np
import pyarrow as pa
from etils import epath
from jaxtyping import Bool, Int32, UInt64

from biases_jax import benchmarks, labels, listing, scores
from biases_jax.benchmark import Benchmark
from biases_jax.rows import Row
from biases_jax.types import Score


def scored(
    row: Row, records: pa.Table, manifests: epath.PathLike
) -> Bool[np.ndarray, " n"]:
    """Return which of a row's records are of examples that its score judges.

    Records do not say it. The score does, given the example's label, which the
    source's manifest keeps. ReaL's labels may lie beside the images and be in no
    manifest; but the likelihood of an example without a label, and of no other that a
    published cell has, is NaN. The count must be that of the row's own sums.

    Args:
        row: a complete cell.
        records: those of the row, n examples (`examples.load`).
        manifests: the folder of the sources' manifests of the row's run.

    Raises:
        ValueError: it cannot be told; the message says why.
    """
    if "scored" not in row.sums:
        return np.ones(len(records), bool)
    benchmark = _benchmark(row)
    if isinstance(benchmark.score, scores.AnyOf):
        found = ~np.isnan(records["negative_log_likelihood"].to_numpy())
    else:
        ids, listed = records["id"].to_numpy(), listing.load(manifests, row)
        values = _labels(listed, benchmark.score.label, ids, row)
        found = _judged(benchmark.score, values)
    if found.sum() != row.sums["scored"]:
        raise ValueError(
            f"{_where(row)}: got {found.sum()} scored examples by the records, expected"
            f" {row.sums['scored']} as counted while measuring; measure it again"
        )
    return found


def _benchmark(row: Row) -> Benchmark:
    """Return the benchmark by whose score a row was measured."""
    benchmark = benchmarks.get(row.benchmark)
    then = row.provenance["benchmark_repr"]
    if benchmark is None or repr(benchmark.score) not in then:
        raise ValueError(
            f"{_where(row)}: got {then}, expected a benchmark that this version has, "
            "since its score tells which examples count; measure it again"
        )
    return benchmark


def _labels(
    listed: pa.Table, space: str, ids: UInt64[np.ndarray, " n"], row: Row
) -> Int32[np.ndarray, "n k"]:
    """Return the labels of examples in a label space."""
    known = listed["id"].to_numpy()
    if not np.isin(ids, known).all():
        raise ValueError(
            f"{_where(row)}: got records of other examples than the list of "
            f"{row.provenance['source']} has, expected the same; measure it again"
        )
    values = np.array(listed[space].to_pylist(), np.int32).reshape(len(known), -1)
    return values[np.searchsorted(known, ids)]


def _judged(score: Score, values: Int32[np.ndarray, "n k"]) -> Bool[np.ndarray, " n"]:
    """Return what the score says of labels; logits have no part in it."""
    logits = jnp.zeros(len(labels.WNIDS), jnp.float32)
    different, inverse = np.unique(values, axis=0, return_inverse=True)
    sums = jax.vmap(lambda label: score(logits, label)[0])(jnp.asarray(different))
    return np.asarray(sums["scored"], bool)[inverse.reshape(-1)]


def _where(row: Row) -> str:
    return f"{row.model} on {row.benchmark}"
