"""Which runs made each cell, on what, at what cost, and which cells are lacking?"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from biases_jax.rows import Problem, Row

COST = ("seconds", "decodes", "forwards", "gradients")
RUN = (
    "date",
    "platform",
    "device_kind",
    "device_count",
    "process_count",
    "machine",
    "python",
    "prng",
    "threefry_partitionable",
    "jpeg_decoder",
)
CELL = (
    "source",
    "source_sha256",
    "n_unique",
    "class_map_sha256",
    "labels",
    "drawn",
    "weights_sha256",
    "preprocessing",
    "precision",
    "seed",
    "revision",
    "benchmark_repr",
)
SCHEMA = pa.schema(
    [
        ("model", pa.string()),
        ("benchmark", pa.string()),
        ("state", pa.string()),
        ("reason", pa.string()),
        ("n_expected", pa.int64()),
        ("n_seen", pa.int64()),
        ("blocks", pa.int64()),
        *((name, pa.float64()) for name in COST),
        *((name, pa.string()) for name in ("run_id", *RUN, "libraries", *CELL)),
        ("fingerprint", pa.string()),
    ]
)


def table(verdicts: Sequence[Row | Problem]) -> pa.Table:
    """Return one line per cell, complete or not, sorted by model and benchmark.

    Where several runs contributed, their different values are joined by '; '.
    """
    ordered = sorted(verdicts, key=lambda v: (v.model, v.benchmark, v.fingerprint))
    lines = [_row(v) if isinstance(v, Row) else _problem(v) for v in ordered]
    return pa.Table.from_pylist(lines, SCHEMA)


def _row(row: Row) -> dict[str, Any]:
    return {
        **_identity(row),
        "state": "complete",
        "reason": "",
        "blocks": len(row.blocks),
        **{name: row.cost.get(name) for name in COST},
        **{name: distinct(run.get(name) for run in row.runs) for name in RUN},
        **{name: distinct([row.provenance.get(name)]) for name in CELL},
        "run_id": distinct(run["run_id"] for run in row.runs),
        "libraries": distinct(_libraries(run) for run in row.runs),
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        **_identity(problem),
        "state": problem.state,
        "reason": problem.reason,
    }


def _identity(cell: Row | Problem) -> dict[str, Any]:
    names = ("model", "benchmark", "fingerprint", "n_expected", "n_seen")
    return {name: getattr(cell, name) for name in names}


def _libraries(run: Mapping[str, Any]) -> str:
    found = run.get("libraries", {})
    return ", ".join(f"{name} {version}" for name, version in sorted(found.items()))


def distinct(values: Iterable[object]) -> str:
    """Return the different values, in order, joined by '; '."""
    found = (str(value) for value in values if value is not None)
    return "; ".join(dict.fromkeys(found))
