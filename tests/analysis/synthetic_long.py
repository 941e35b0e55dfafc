"""Long tables of made-up numbers of all families, for the tests of the figures."""

import math

import numpy as np
import pyarrow as pa
from scipy import stats

from biases_jax import labels, proportions
from biases_jax.analysis import table
from biases_jax.types import Value

CUTOFFS = ("0.01", *(f"0.{i}" for i in range(1, 10)), "0.99")
STRENGTHS = ("0.02", "0.04", "0.08", "0.16")
CONDITIONS = {
    "contrast": ("c100", "c50", "c30", "c15", "c10", "c05", "c03", "c01"),
    "rotation": ("0", "90", "180", "270"),
    "false-colour": ("True", "False"),
    "eidolonI": tuple(f"{2**i}-10-10" for i in range(8)),
    "uniform-noise": ("0.0", "0.03", "0.05", "0.1", "0.2", "0.35", "0.6", "0.9"),
}


def long(numbers):
    """Return the table of {model: {name: Value, number or the reason for none}}."""
    lines = []
    for model in sorted(numbers):
        for name, value in sorted(numbers[model].items()):
            benchmark, _, metric = name.rpartition("/")
            value = _value(value)
            fields = ("value", "low", "high", "n", "reason")
            lines.append(
                {
                    "model": model,
                    "family": benchmark.partition("/")[0],
                    "benchmark": benchmark,
                    "metric": metric,
                    **{field: getattr(value, field) for field in fields},
                }
            )
    return pa.Table.from_pylist(lines, table.SCHEMA)


def _value(value):
    if isinstance(value, str):
        return Value(math.nan, reason=value)
    return value if isinstance(value, Value) else Value(value, n=100)


def numbers(index=0):
    """Return numbers of all families for one model, other ones for each index."""
    clean = 40 + 40 * _spread(index, 1)
    found = {
        "natural/imagenet/top1": _rate(clean, 50_000),
        **_spectral(index),
        **_critical_band(index, clean / 2),
        **_shape(index),
        **_conditions(index),
    }
    return found


def _spread(index, salt):
    """Return a number in [0, 1) that looks drawn."""
    return (0.37 + index * 0.6180339887 + salt * 0.7548776662) % 1


def _rate(percent, n=500):
    return proportions.wilson(round(n * min(max(percent, 0), 100) / 100), n)


def _spectral(index):
    found = {}
    for suffix in ("", "_clean"):
        for cutoff in CUTOFFS:
            low = float(cutoff) ** (0.3 + _spread(index, 2))
            high = float(cutoff) ** (1 + 3 * _spread(index, 3))
            for kind, ratio in (("low", low), ("high", high)):
                value = Value(ratio, 0.95 * ratio, 1.05 * ratio, 500)
                found[f"spectral/{kind}_pass{suffix}/{cutoff}/ratio"] = value
        for metric in ("lpp", "hpp", "bias"):
            found[f"spectral/{metric}{suffix}"] = _spread(index, 4)
    return found


def band(index):
    """Return bandwidth, centre frequency and peak noise sensitivity."""
    return (
        2 + 4 * _spread(index, 5),
        1.75 * 2 ** (3 + 2 * _spread(index, 6)),
        2 ** (-1.5 * _spread(index, 7)),
    )


def thresholds(index):
    """Return the steps of noise that are too strong, of each octave."""
    width, centre, peak = band(index)
    octaves = np.arange(7) - math.log2(centre / 1.75)
    return (4 + math.log2(peak)) * np.exp(-((octaves / width * 2.35482) ** 2) / 2)


def _critical_band(index, clean):
    found = {"critical_band/sd0/top1": _rate(clean)}
    for octave, steps in enumerate(thresholds(index)):
        for row, strength in enumerate(reversed(STRENGTHS)):
            share = stats.logistic.cdf((row + 0.5 - steps) * 3)
            found[f"critical_band/f{octave}/sd{strength}/top1"] = _rate(clean * share)
        whole = min(round(steps), 4)
        for variant in ("", "_paper", "_paper_norm"):
            number = float(whole if variant else np.clip(steps, 0.5, 3.5))
            found[f"critical_band/f{octave}/threshold{variant}"] = number
    names = ("bandwidth", "centre_frequency", "peak_noise_sensitivity")
    for variant in ("", "_raw", "_paper", "_paper_norm"):
        scale = 1 if not variant else 1.1
        for name, number in zip(names, band(index), strict=True):
            found[f"critical_band/{name}{variant}"] = number * scale
    return found


def _shape(index):
    found = {}
    overall = 20 + 60 * _spread(index, 8)
    for kind, metric in (
        ("cue_conflict", "bias"),
        ("frequency_cue_conflict", "frequency_bias"),
    ):
        found[f"shape/{metric}"] = _rate(overall)
        found[f"shape/{metric}_sum"] = _rate(overall + 5)
        for place, category in enumerate(labels.CATEGORIES):
            share = overall + 30 * (_spread(index, 9 + place) - 0.5)
            found[f"shape/{kind}/{category}/bias"] = _rate(share, 75)
            found[f"shape/{kind}/sum/{category}/bias"] = _rate(share + 5, 75)
    return found


def _conditions(index):
    found = {}
    for name, conditions in CONDITIONS.items():
        found[f"model_vs_human/{name}/top1"] = _rate(60, 1280)
        for place, condition in enumerate(conditions):
            share = 90 * (1 - place / len(conditions)) ** (0.5 + _spread(index, 10))
            key = f"model_vs_human/{name}/{condition}/top1"
            found[key] = _rate(share, 160)
    return found


def of_models(names):
    """Return the table of so many models."""
    return long({name: numbers(index) for index, name in enumerate(names)})
