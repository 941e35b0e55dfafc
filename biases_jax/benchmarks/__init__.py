"""Which measurements exist? One file is one phenomenon."""

import importlib
import pkgutil
from collections.abc import Sequence
from types import ModuleType

from biases_jax import naming
from biases_jax.benchmark import Benchmark


def families() -> dict[str, ModuleType]:
    """Return the modules of this folder by name: each has `benchmarks`, `summarize`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}


def all_benchmarks() -> dict[str, Benchmark]:
    """Return every benchmark by name, in the order of families and their grids."""
    found = [b for family in families().values() for b in family.benchmarks()]
    return {benchmark.name: benchmark for benchmark in found}


def select(patterns: Sequence[str]) -> list[Benchmark]:
    """Return the benchmarks whose names match any pattern ('spectral/*').

    Raises:
        ValueError: a pattern matches nothing.
    """
    known = all_benchmarks()
    found = naming.select(patterns, known, "a benchmark")
    return [known[name] for name in found]
