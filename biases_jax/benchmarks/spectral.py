"""Which spatial frequencies does a model need? (Gavrikov & Keuper 2024, section 4.2)

Low-pass keeps the lowest fraction of frequencies per axis, high-pass the highest.
The filter is the paper's, quirks included: a square band that is one sample
asymmetric, a high-pass that removes the mean and so clips half of the image to 0.
"""

import dataclasses
import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Any

import jax.numpy as jnp
import numpy as np

from biases_jax.benchmark import Benchmark
from biases_jax.transforms import TRACED, Traced
from biases_jax.types import Array, Cell, Float, Image, PRNGKey, Value

# The paper's arithmetic uses the floats of arange (0.30000000000000004), its columns
# the rounded names.
CUTOFFS = (0.01, *np.arange(0.1, 0.99, 0.1).tolist(), 0.99)
BIAS_CUTOFFS = ("0.1", "0.2", "0.3", "0.4", "0.5")  # those that LPP and HPP average
CLEAN = "natural/imagenet"


@dataclasses.dataclass(frozen=True)
class LowPass(Traced):
    """Keep the lowest `cutoff` of the frequencies of each axis, 0 < cutoff < 1."""

    cutoff: float = dataclasses.field(metadata=TRACED)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the half-widths of the kept band, rows and columns, int32 [2]."""
        return {"half_widths": half_widths(self.cutoff, shape)}

    def apply(self, image: Image, key: PRNGKey, parameters: dict[str, Any]) -> Image:
        """Return the filtered image, clipped to [0, 1]."""
        del key
        return filtered(image, gain(parameters["half_widths"], image.shape))


@dataclasses.dataclass(frozen=True)
class HighPass(Traced):
    """Keep the highest `cutoff` of the frequencies of each axis, 0 < cutoff < 1."""

    cutoff: float = dataclasses.field(metadata=TRACED)

    def parameters(self, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
        """Return the half-widths of the removed band, rows and columns, int32 [2]."""
        return {"half_widths": half_widths(1 - self.cutoff, shape)}

    def apply(self, image: Image, key: PRNGKey, parameters: dict[str, Any]) -> Image:
        """Return the filtered image, clipped to [0, 1]."""
        del key
        return filtered(image, 1 - gain(parameters["half_widths"], image.shape))


def half_widths(fraction: float, shape: tuple[int, ...]) -> np.ndarray:
    """Return int(fraction * (n // 2)) of both axes, in float64 as the paper's code."""
    h, w = shape[:2]
    return np.array([int(fraction * (h // 2)), int(fraction * (w // 2))], np.int32)


def gain(band: Any, shape: tuple[int, ...]) -> Float[Array, "h w_half"]:
    """Return the band's real gain on the grid of `rfft2`.

    The band holds -r <= u <= r - 1 in both axes. Taking the real part after the
    inverse transform averages it with its mirror image, hence gains of 1/2 on its
    border; so the half-spectrum with this gain is exact.
    """
    h, w = shape[:2]
    rows = jnp.fft.fftfreq(h, 1 / h).round().astype(jnp.int32)[:, None]
    columns = jnp.arange(w // 2 + 1, dtype=jnp.int32)[None, :]
    kept = _inside(rows, band[0]) & _inside(columns, band[1])
    mirrored = _inside(-rows, band[0]) & _inside(-columns, band[1])
    return (kept.astype(jnp.float32) + mirrored.astype(jnp.float32)) / 2


def filtered(image: Image, gain: Float[Array, "h w_half"]) -> Image:
    """Return the image with its spectrum multiplied by `gain`, clipped to [0, 1]."""
    spectrum = jnp.fft.rfft2(image, axes=(0, 1))
    kept = spectrum * gain[:, :, None].astype(spectrum.dtype)
    changed = jnp.fft.irfft2(kept, image.shape[:2], axes=(0, 1))
    return jnp.clip(changed, 0, 1).astype(image.dtype)


def _inside(frequency, half_width):
    return (frequency >= -half_width) & (frequency < half_width)


def benchmarks() -> Iterator[Benchmark]:
    """Yield the paper's 22 conditions."""
    for cutoff in CUTOFFS:
        name = level(cutoff)
        yield Benchmark(f"spectral/high_pass/{name}", "imagenet", HighPass(cutoff))
        yield Benchmark(f"spectral/low_pass/{name}", "imagenet", LowPass(cutoff))


def level(cutoff: float) -> str:
    """Return the cut-off's name, as in the paper's columns: '0.01', '0.3'."""
    return f"{cutoff:.2g}"


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return each condition's ratio to the clean accuracy, and the paper's biases.

    `spectral/lpp` and `spectral/hpp` are means of the ratios at 0.1 ... 0.5,
    `spectral/bias` is hpp / (lpp + hpp). A missing cell makes NaN what needs it.
    """
    values = {
        f"{benchmark.name}/ratio": _ratio(cells, benchmark.name)
        for benchmark in benchmarks()
    }
    values["spectral/lpp"] = _mean(values, "low_pass")
    values["spectral/hpp"] = _mean(values, "high_pass")
    values["spectral/bias"] = _share(values["spectral/hpp"], values["spectral/lpp"])
    return values


def _ratio(cells: Mapping[str, Cell], name: str) -> Value:
    absent = [needed for needed in (name, CLEAN) if needed not in cells]
    if absent:
        return Value(math.nan, reason=f"not measured: {', '.join(absent)}")
    count = cells[name].sums["count"]
    clean = cells[CLEAN].sums["top1"] / cells[CLEAN].sums["count"]
    if clean == 0:
        return Value(math.nan, n=count, reason="the clean accuracy is 0")
    return Value(cells[name].sums["top1"] / count / clean, n=count)


def _mean(values: Mapping[str, Value], variant: str) -> Value:
    parts = {
        f"spectral/{variant}/{cutoff}/ratio": values[
            f"spectral/{variant}/{cutoff}/ratio"
        ]
        for cutoff in BIAS_CUTOFFS
    }
    reasons = [f"{name}: {part.reason}" for name, part in parts.items() if part.reason]
    if reasons:
        return Value(math.nan, reason="; ".join(reasons))
    mean = statistics.fmean(part.value for part in parts.values())
    return Value(mean, n=next(iter(parts.values())).n)


def _share(part: Value, rest: Value) -> Value:
    if part.reason or rest.reason:
        return Value(math.nan, reason=part.reason or rest.reason)
    if part.value + rest.value == 0:
        return Value(math.nan, n=part.n, reason="both biases are 0")
    return Value(part.value / (part.value + rest.value), n=part.n)
