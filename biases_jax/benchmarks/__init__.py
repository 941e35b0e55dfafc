"""Which measurements exist? One file is one phenomenon."""

import importlib
import pkgutil
import re
from collections.abc import Sequence
from types import ModuleType

from biases_jax import naming
from biases_jax.benchmark import Benchmark
from biases_jax.sources import own

_OWN = re.compile(rf"(model_vs_human|shape)/own/({own.FOLDER})(/sum)?")


def families() -> dict[str, ModuleType]:
    """Return the modules of this folder by name: each has `benchmarks`, `summarize`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}


def all_benchmarks() -> dict[str, Benchmark]:
    """Return every benchmark by name, in the order of families and their grids."""
    found = [b for family in families().values() for b in family.benchmarks()]
    return {benchmark.name: benchmark for benchmark in found}


def get(name: str) -> Benchmark | None:
    """Return a benchmark by name, None if there is none.

    That is also `model_vs_human/own/<folder>` and `shape/own/<folder>`, with `/sum` or
    without, on image sets of one's own (`sources.own`), which are not listed.
    """
    match = _OWN.fullmatch(name)
    if not match:
        return all_benchmarks().get(name)
    return {b.name: b for b in families()[match[1]].own(match[2])}[name]


def select(patterns: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks whose names match any pattern ('spectral/*').

    Those of sets of one's own come last, in their order; only whole names match.

    Raises:
        ValueError: a pattern matches nothing.
    """
    own_names = dict.fromkeys(filter(_OWN.fullmatch, patterns))
    listed = [pattern for pattern in patterns if pattern not in own_names]
    known = all_benchmarks()
    what = "a benchmark, or model_vs_human/own/<folder> or shape/own/<folder>"
    found = naming.select(listed, known, what)
    return [*map(known.__getitem__, found), *map(get, own_names)]
