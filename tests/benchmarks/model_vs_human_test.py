"""Are the sets of model-vs-human judged among sixteen categories, by condition?"""

import importlib.resources
import json
import math

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from biases_jax import labels
from biases_jax.benchmarks import model_vs_human
from biases_jax.types import Cell

BY_NAME = {b.name: b for b in model_vs_human.benchmarks()}
# The conditions that are pooled, written down once more.
POOLED = {
    "colour": "bw",
    "contrast": "c50 c30 c15 c10 c05",
    "high-pass": "3.0 1.5 1.0 0.7",
    "low-pass": "1 3 5 7 10",
    "phase-scrambling": "30 60 90 120",
    "power-equalisation": "pow",
    "false-colour": "False",
    "rotation": "90 180 270",
    "eidolonI": "2-10-10 4-10-10 8-10-10 16-10-10 32-10-10",
    "eidolonII": "2-3-10 4-3-10 8-3-10 16-3-10",
    "eidolonIII": "2-0-10 4-0-10 8-0-10",
    "uniform-noise": "0.03 0.05 0.1 0.2 0.35",
}
WHOLE = ("edge", "silhouette", "cue-conflict", "sketch", "stylized")


def cell(name, right, of=10):
    """Return a cell with `of` images of each condition, `right` of the n-th right."""
    score = BY_NAME[name].score
    conditions = getattr(score, "conditions", ("",))
    hits = [right(number) for number in range(len(conditions))]
    sums = {"count": of * len(hits), "top1": sum(hits), "top5": sum(hits)}
    for condition, hit in zip(conditions, hits, strict=True):
        if condition:
            sums |= {f"count/{condition}": of, f"top1/{condition}": hit}
    return Cell(sums | {"nonfinite": 0}, lambda: None)


def test_every_set_is_measured_by_both_read_outs():
    sets = (*POOLED, *WHOLE)
    names = [f"model_vs_human/{name}{end}" for name in sets for end in ("", "/sum")]
    assert sorted(BY_NAME) == sorted(names) and len(names) == 34
    for name, benchmark in BY_NAME.items():
        readout = "sum" if name.endswith("/sum") else "mean"
        assert benchmark.score.readout == readout
        source = name.removesuffix("/sum")
        if source.endswith("/cue-conflict"):
            source = "cue_conflict"
        assert benchmark.source == source


def test_the_shape_of_a_cue_conflict_is_right():
    score = BY_NAME["model_vs_human/cue-conflict"].score
    logits = np.zeros(1000, np.float32)
    logits[list(labels.CATEGORY_MEMBERS[3])] = 5
    for truth, right in (((3, 7), 1), ((7, 3), 0), ((3, 3), 1)):
        sums, _ = score(jnp.asarray(logits), jnp.array(truth))
        assert int(sums["top1"]) == right and "scored" not in sums


def test_a_dog_of_any_breed_is_a_dog():
    benchmark = BY_NAME["model_vs_human/stylized"]
    dog = labels.CATEGORIES.index("dog")
    members = labels.CATEGORY_MEMBERS[dog]
    assert len(members) == 109
    logits = np.zeros(1000, np.float32)
    logits[list(members)] = 1
    sums, _ = benchmark.score(jnp.asarray(logits), jnp.array([dog]))
    assert int(sums["top1"]) == 1


def test_accuracies_are_percentages_of_the_count():
    sums = {"count": 800, "top1": 297, "top5": 600, "nonfinite": 0}
    name = "model_vs_human/stylized"
    values = model_vs_human.summarize({name: Cell(sums, lambda: None)})
    assert values[f"{name}/top1"].value == 37.125  # tv_resnet50, as published
    assert values[f"{name}/top5"].value == 75
    assert values[f"{name}/top1"].n == 800
    assert values[f"{name}/ood"] == values[f"{name}/top1"]


@pytest.mark.parametrize("ending", ["", "/sum"])
@pytest.mark.parametrize("name", POOLED)
def test_a_sets_accuracy_when_distorted_pools_the_conditions_that_count(name, ending):
    full = f"model_vs_human/{name}{ending}"
    values = model_vs_human.summarize({full: cell(full, lambda number: number)})
    conditions = BY_NAME[full].score.conditions
    for number, condition in enumerate(conditions):
        found = values[f"{full}/{condition}/top1"]
        interval = stats.binomtest(number, 10).proportion_ci(method="wilson")
        assert (found.value, found.n) == (10 * number, 10)
        assert (found.low, found.high) == (100 * interval.low, 100 * interval.high)
    pooled = [conditions.index(condition) for condition in POOLED[name].split()]
    interval = stats.binomtest(sum(pooled), 10 * len(pooled)).proportion_ci(
        method="wilson"
    )
    ood = values[f"{full}/ood"]
    assert ood.value == pytest.approx(10 * np.mean(pooled)) and ood.n == 10 * len(
        pooled
    )
    assert (ood.low, ood.high) == (100 * interval.low, 100 * interval.high)


@pytest.mark.parametrize(("ending", "twin"), [("", ""), ("/sum", "_sum")])
def test_the_mean_over_the_sets_is_unweighted_and_needs_them_all(ending, twin):
    names = [f"model_vs_human/{name}{ending}" for name in (*POOLED, *WHOLE)]
    cells = {name: cell(name, lambda number: 5) for name in names}
    cells[names[0]] = cell(names[0], lambda number: 9, of=1000)
    mean = model_vs_human.summarize(cells)[f"model_vs_human/ood_mean{twin}"]
    assert mean.value == pytest.approx((0.9 + 16 * 50) / 17)
    trials = [len(included) for included in map(str.split, POOLED.values())]
    assert mean.n == 1000 + 10 * (sum(trials[1:]) + len(WHOLE))
    del cells[names[0]], cells[names[4]]
    values = model_vs_human.summarize(cells)
    mean = values[f"model_vs_human/ood_mean{twin}"]
    assert math.isnan(mean.value) and math.isnan(mean.low)
    assert mean.n == 10 * (sum(trials) - 1 - trials[4] + len(WHOLE))
    assert "phase-scrambling" in mean.reason and "colour" in mean.reason
    assert "edge" not in mean.reason and "high-pass" not in mean.reason


def test_the_interval_of_the_mean_covers_the_truth_as_often_as_it_should():
    generator = np.random.default_rng(0)
    names = [f"model_vs_human/{name}" for name in (*POOLED, *WHOLE)]
    truth = dict(zip(names, generator.uniform(0.01, 0.99, len(names)), strict=True))
    expected = 100 * np.mean(list(truth.values()))
    covered = 0
    for _ in range(200):
        drawn = {
            name: cell(name, lambda _, p=p: int(generator.binomial(10, p)))
            for name, p in truth.items()
        }
        mean = model_vs_human.summarize(drawn)["model_vs_human/ood_mean"]
        assert mean.low < mean.value < mean.high
        covered += mean.low <= expected <= mean.high
    # 95 % of 200; five standard errors of 1.5 % below, and 2 % above as four more
    # trials of each set make the interval somewhat wide.
    assert 0.875 * 200 <= covered < 200


@pytest.mark.parametrize(("right", "value"), [(0, 0.0), (10, 100.0)])
def test_the_interval_of_the_mean_has_a_width_at_0_and_1(right, value):
    names = [f"model_vs_human/{name}" for name in (*POOLED, *WHOLE)]
    cells = {name: cell(name, lambda _: right) for name in names}
    mean = model_vs_human.summarize(cells)["model_vs_human/ood_mean"]
    assert mean.value == value and 0 <= mean.low <= mean.high <= 100
    assert 1 < mean.high - mean.low < 10


def test_an_absent_condition_leaves_out_what_needs_it_and_says_which():
    name = "model_vs_human/contrast"
    whole = cell(name, lambda number: 5)
    some = dict(whole.sums) | {"count/c30": 0, "top1/c30": 0, "count/c03": 0}
    values = model_vs_human.summarize({name: Cell(some, lambda: None)})
    for metric in ("c30/top1", "ood"):
        value = values[f"{name}/{metric}"]
        assert math.isnan(value.value) and "the condition c30 in" in value.reason
    assert values[f"{name}/c50/top1"].value == 50
    # An excluded condition is not missed.
    some |= {"count/c30": 10, "top1/c30": 5}
    values = model_vs_human.summarize({name: Cell(some, lambda: None)})
    assert values[f"{name}/ood"].value == 50
    assert math.isnan(values[f"{name}/c03/top1"].value)


def test_names_hold_no_number_twice():
    values = model_vs_human.summarize({})
    assert len(values) == 2 * (17 * 3 + sum(map(len, _conditions())) + 1)
    assert all(math.isnan(value.value) and value.reason for value in values.values())


def _conditions():
    return [
        benchmark.score.conditions
        for name, benchmark in BY_NAME.items()
        if hasattr(benchmark.score, "conditions") and not name.endswith("/sum")
    ]


def test_conditions_and_exclusions_are_those_of_the_people():
    data = importlib.resources.files("biases_jax") / "data"
    path = data / "model_vs_human_reference.json"
    people = json.loads(path.read_text(encoding="utf-8"))
    assert set(people) == {*POOLED, *WHOLE}
    for name, pooled in POOLED.items():
        conditions = BY_NAME[f"model_vs_human/{name}"].score.conditions
        assert set(people[name]["conditions"]) == set(conditions)
        excluded = set(conditions) - set(pooled.split())
        assert set(people[name]["excluded"]) == excluded
