"""Which spatial frequencies does a model need? (Gavrikov & Keuper 2024, section 4.2)

Low-pass keeps the lowest fraction of frequencies per axis, high-pass the highest.
The paper's filter has its quirks: a square band that is one sample asymmetric, a
high-pass that removes the mean and so clips half of the image to 0. The clean filters
beside it have a symmetric radial band and keep the mean.
"""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from biases_jax import filters, labels, ratios
from biases_jax.benchmark import Benchmark
from biases_jax.transforms import TRACED, Traced
from biases_jax.types import Cell, Image, PRNGKey, Value

# The paper's arithmetic uses the floats of arange (0.30000000000000004), its columns
# the rounded names.
CUTOFFS = (0.01, *np.arange(0.1, 0.99, 0.1).tolist(), 0.99)
BIAS_CUTOFFS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # those that LPP and HPP average
CLEAN = "natural/imagenet"
CHANCE = 1 / len(labels.WNIDS)


@dataclasses.dataclass(frozen=True)
class Filter(Traced):
    """A filter with a cut-off between 0 and 1, applied to the shared spectrum."""

    cutoff: float = dataclasses.field(metadata=TRACED)

    @property
    def preparation(self) -> filters.Fourier:
        """Return the forward transform."""
        return filters.Fourier()

    def apply(
        self, prepared: filters.Spectrum, key: PRNGKey, parameters: dict[str, Any]
    ) -> Image:
        """Return the filtered image, clipped to [0, 1]."""
        del key
        return filters.filtered(prepared, parameters["gain"])


@dataclasses.dataclass(frozen=True)
class LowPass(Filter):
    """Keep the lowest `cutoff` of the frequencies of each axis."""

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the gain, in the paper's arithmetic."""
        return {"gain": filters.box(self.cutoff, shape)}


@dataclasses.dataclass(frozen=True)
class HighPass(Filter):
    """Keep the highest `cutoff` of the frequencies of each axis."""

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the gain, in the paper's arithmetic."""
        return {"gain": 1 - filters.box(1 - self.cutoff, shape)}


@dataclasses.dataclass(frozen=True)
class LowPassClean(Filter):
    """Keep frequencies up to `cutoff` of the axes' highest, in all directions."""

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the gain."""
        return {"gain": filters.disc(self.cutoff, shape)}


@dataclasses.dataclass(frozen=True)
class HighPassClean(Filter):
    """Remove frequencies up to `1 - cutoff` of the axes' highest, but not the mean.

    With the low-pass of `1 - cutoff` it adds up to the image and its mean.
    """

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the gain."""
        gain = 1 - filters.disc(1 - self.cutoff, shape)
        gain[0, 0] = 1
        return {"gain": gain}


FILTERS = {
    "high_pass": HighPass,
    "low_pass": LowPass,
    "high_pass_clean": HighPassClean,
    "low_pass_clean": LowPassClean,
}


def benchmarks() -> Iterator[Benchmark]:
    """Yield the paper's 22 conditions, then the 22 with clean filters.

    They share one noise stream, though nothing is drawn, and so one transform.
    """
    for suffix in ("", "_clean"):
        for cutoff in CUTOFFS:
            for kind in ("high_pass", "low_pass"):
                name = f"spectral/{kind}{suffix}/{level(cutoff)}"
                transform = FILTERS[kind + suffix](cutoff)
                yield Benchmark(name, "imagenet", transform, stream="spectral")


def level(cutoff: float) -> str:
    """Return the cut-off's name, as in the paper's columns: '0.01', '0.3'."""
    return f"{cutoff:.2g}"


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return each condition's ratio to the clean accuracy, and the biases.

    `spectral/lpp` and `spectral/hpp` are means of the ratios at 0.1 ... 0.5,
    `spectral/bias` is hpp / (lpp + hpp); with the suffix `_clean` of the clean filters.
    `_corrected` numbers are of ratios (accuracy - chance) / (clean - chance). Intervals
    are of the images (`ratios.Ratios`), where there are records. A missing cell makes
    NaN what needs it, a clean accuracy near chance what is corrected.
    """
    measured = ratios.Ratios(cells, CLEAN)
    values = {}
    for benchmark in benchmarks():
        one = (benchmark.name,)
        values[f"{benchmark.name}/ratio"] = measured.of_clean(one)
        values[f"{benchmark.name}/ratio_corrected"] = measured.of_clean(one, CHANCE)
    for suffix in ("", "_clean"):
        low, high = _averaged(f"low_pass{suffix}"), _averaged(f"high_pass{suffix}")
        values[f"spectral/lpp{suffix}"] = measured.of_clean(low)
        values[f"spectral/hpp{suffix}"] = measured.of_clean(high)
        values[f"spectral/bias{suffix}"] = measured.share(high, low)
    for bias, kind in (("lpp", "low_pass"), ("hpp", "high_pass")):
        corrected = measured.of_clean(_averaged(kind), CHANCE)
        values[f"spectral/{bias}_corrected"] = corrected
    return values


def _averaged(filters_name: str) -> tuple[str, ...]:
    return tuple(f"spectral/{filters_name}/{cutoff}" for cutoff in BIAS_CUTOFFS)
