"""Which of sixteen categories does a model see, on images that people saw too?

Geirhos et al. 2021: the images are 224 pixels wide and are not resized, and a decision
is among sixteen categories, by the mean probability of their classes. In most sets the
images are distorted, each in several conditions.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

from scipy import stats

from biases_jax import category_scores, proportions
from biases_jax.benchmark import Benchmark
from biases_jax.sources.model_vs_human import CUE_CONFLICT, PREFIX, SETS
from biases_jax.types import Cell, Value

READOUTS: dict[category_scores.Readout, str] = {"mean": "", "sum": "/sum"}  # in names


def benchmarks() -> Iterator[Benchmark]:
    """Yield the seventeen sets, by the paper's read-out and by sums.

    Sums of the members' probabilities are for models that know a few of the classes
    only. Of a cue conflict the shape is right, also where the texture is the same. The
    800 stylized images are not those of `natural/stylized_imagenet`.
    """
    for name in SETS:
        for readout in READOUTS:
            yield _benchmark(name, readout)


def own(folder: str) -> Iterator[Benchmark]:
    """Yield those of a folder of the data root with images in category folders."""
    for readout, ending in READOUTS.items():
        score = category_scores.Category(readout=readout)
        yield Benchmark(f"{PREFIX}own/{folder}{ending}", f"own/{folder}", score=score)


def _benchmark(name: str, readout: category_scores.Readout) -> Benchmark:
    conditions = SETS[name].conditions
    label = "shape_texture" if name == CUE_CONFLICT else "category"
    score = category_scores.Category(label, readout)
    if conditions:
        score = category_scores.CategoryByCondition(conditions, readout)
    source = "cue_conflict" if name == CUE_CONFLICT else f"{PREFIX}{name}"
    return Benchmark(f"{PREFIX}{name}{READOUTS[readout]}", source, score=score)


def summarize(cells: Mapping[str, Cell]) -> dict[str, Value]:
    """Return accuracies in percent, with Wilson intervals.

    `<benchmark>/top1` and `/top5` are of all images of a set, `<benchmark>/<condition>/
    top1` of those of a condition, and `<benchmark>/ood` of those of all conditions that
    the paper does not exclude. `model_vs_human/ood_mean`, and `ood_mean_sum` by the
    other read-out, are the mean of `ood` over the sets, with a normal interval. NaN
    where a cell, a condition or a set is absent.
    """
    values = proportions.accuracies(cells, benchmarks())
    for ending in READOUTS.values():
        names = {name: f"{PREFIX}{name}{ending}" for name in SETS}
        for name, benchmark in names.items():
            values |= _by_condition(cells, name, benchmark)
        distorted = {name: values[f"{names[name]}/ood"] for name in SETS}
        values[f"{PREFIX}ood_mean{ending.replace('/', '_')}"] = _mean(distorted)
    return values


def _by_condition(
    cells: Mapping[str, Cell], name: str, benchmark: str
) -> dict[str, Value]:
    """Return a set's accuracies in each condition, and when distorted."""
    row = SETS[name]
    if not row.conditions:
        return {f"{benchmark}/ood": proportions.accuracy(cells, benchmark, "top1")}
    found = {
        f"{benchmark}/{condition}/top1": _pooled(cells, benchmark, [condition])
        for condition in row.conditions
    }
    return found | {f"{benchmark}/ood": _pooled(cells, benchmark, row.included)}


def _pooled(cells: Mapping[str, Cell], name: str, conditions: Sequence[str]) -> Value:
    """Return the accuracy over all trials of some conditions; NaN if one has none."""
    if name not in cells:
        return Value(math.nan, reason=f"{proportions.NOT_MEASURED}{name}")
    sums = cells[name].sums
    counts = {condition: int(sums[f"count/{condition}"]) for condition in conditions}
    absent = [condition for condition, count in counts.items() if not count]
    if absent:
        reason = f"no images of the condition {', '.join(absent)} in {name}"
        return Value(math.nan, reason=reason)
    right = sum(int(sums[f"top1/{condition}"]) for condition in conditions)
    return proportions.wilson(right, sum(counts.values()))


def _mean(sets: Mapping[str, Value]) -> Value:
    """Return the unweighted mean over all sets; `n` is the number of all trials.

    The 95 % interval is the normal one. Trials are taken for independent, within sets
    and between them, so that the variance is the sum of binomial ones. Each is of the
    rate that two more right and two more wrong answers make (Agresti & Coull 1998), as
    rates of 0 and 1 have a variance, too.
    """
    lacking = [name for name, value in sets.items() if math.isnan(value.value)]
    n = sum(value.n for value in sets.values())
    if lacking:
        reason = f"no accuracy when distorted on {', '.join(lacking)}"
        return Value(math.nan, n=n, reason=reason)
    mean = statistics.fmean(value.value for value in sets.values())
    error = 100 * math.sqrt(sum(map(_variance, sets.values()))) / len(sets)
    half = float(stats.norm.ppf(0.975)) * error
    return Value(mean, max(mean - half, 0.0), min(mean + half, 100.0), n)


def _variance(rate: Value) -> float:
    """Return the variance of a rate, as a fraction."""
    n = rate.n + 4
    share = (rate.value / 100 * rate.n + 2) / n
    return share * (1 - share) / n
