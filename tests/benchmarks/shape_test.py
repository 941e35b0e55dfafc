"""Is the shape bias a share of the decisions for either cue?"""

import functools

import jax.numpy as jnp
import numpy as np
import pyarrow as pa
import pytest
import trees
from scipy import stats
from sources.source_files import declare, write_tree

from biases_jax import clusters, labels
from biases_jax.benchmarks import shape
from biases_jax.sources import dataset
from biases_jax.types import Cell

NAME = "shape/cue_conflict"
FREQUENCIES = "shape/frequency_cue_conflict"
CASES = {  # by source: the benchmark, and the number
    "cue_conflict": (NAME, "shape/bias"),
    "frequency_cue_conflict": (FREQUENCIES, "shape/frequency_bias"),
    "own_cue_conflict/mine": ("shape/own/mine", "shape/own/mine/bias"),
    "own_cue_conflict/sum": ("shape/own/sum", "shape/own/sum/bias"),
}
# Files, decisions and counts as the specification of the bias gives them.
FILES = "cat1-dog2 cat3-dog4 dog1-cat1 bear1-bear2 car1-boat1 cat2-dog1".split()
DECISIONS = "cat dog dog bear boat oven".split()


def no_records():
    raise ValueError("measured with records turned off")


def cell(shape_count, texture_count, scored=1200, count=1280, name=NAME):
    sums = {"count": count, "scored": scored, "top1": shape_count, "top5": 0}
    sums |= {"shape": shape_count, "texture": texture_count, "nonfinite": 0}
    for cue in ("shape", "texture"):
        each = {f"{cue}/{category}": 0 for category in labels.CATEGORIES}
        sums |= each | {f"{cue}/cat": sums[cue]}
    return {name: Cell(sums, no_records)}


def logits_for(category):
    logits = np.zeros(1000, np.float32)
    logits[list(labels.CATEGORY_MEMBERS[labels.CATEGORIES.index(category)])] = 9
    return jnp.asarray(logits)


def measured(tmp_path, source, files, decisions):
    """Return the cells of a model that decides so, on a tree of such files."""
    row = trees.any_size(source)
    places = [f"{name.split('-')[0].rstrip('0123456789')}/{name}.png" for name in files]
    write_tree(tmp_path / row.folders[0], {p: trees.picture(0, "PNG") for p in places})
    if source.startswith("own"):  # of any size, but all categories
        classes = len({place.partition("/")[0] for place in places})
        counts = {"source": source, "classes": classes, "examples": len(places)}
        declare(tmp_path / row.folders[0], **counts)
    opened = dataset.open_source(row, str(tmp_path), str(tmp_path / "none"))
    decided = {f"{n}.png": d for n, d in zip(files, decisions, strict=True)}
    base_names = [name.rpartition("/")[2] for name in opened.names]
    cells = {}
    own = (each for folder in ("mine", "sum") for each in shape.own(folder))
    for benchmark in (*shape.benchmarks(), *own):
        if benchmark.source != source:
            continue
        outcomes = [
            benchmark.score(logits_for(decided[name]), jnp.asarray(label))
            for name, label in zip(
                base_names, opened.labels["shape_texture"], strict=True
            )
        ]
        sums = {
            key: sum(int(sums[key]) for sums, _ in outcomes) for key in outcomes[0][0]
        }
        ids = labels.packed_ids(opened.ids)
        records = {"id": ids, "predicted": [int(r.predicted) for _, r in outcomes]}
        examples = {
            "id": ids,
            "name": opened.names,
            "shape_texture": opened.labels["shape_texture"].tolist(),
        }
        cells[benchmark.name] = Cell(
            sums, *(functools.partial(pa.table, t) for t in (records, examples))
        )
    return cells


@pytest.mark.parametrize("source", CASES)
def test_six_files_give_the_specified_bias(tmp_path, source):
    cells = measured(tmp_path, source, FILES, DECISIONS)
    values = shape.summarize(cells)
    benchmark, overall = CASES[source]
    for ending in ("", "/sum"):
        name, twin = f"{benchmark}{ending}", ending.replace("/", "_")
        sums = cells[name].sums
        assert (sums["shape"], sums["texture"]) == (2, 2)
        assert (sums["scored"], sums["count"]) == (5, 6)
        bias = values[f"{overall}{twin}"]
        assert (bias.value, bias.n) == (50, 4)
        assert (values[f"{name}/shape"].value, values[f"{name}/shape"].n) == (40, 5)
        assert values[f"{name}/texture"].value == 40
        assert values[f"{name}/decided"].value == 80
        # cat1 and cat2 were decided as cat and dog, and oven counts for neither.
        each = {c: values[f"{name}/{c}/bias"] for c in ("cat", "dog", "car", "bear")}
        assert (each["cat"].value, each["cat"].n) == (50, 2)
        assert (each["dog"].value, each["car"].value) == (100, 0)
        assert np.isnan(each["bear"].value) and "either cue" in each["bear"].reason
        # Of no file the shape is an oven, which is another thing.
        assert values[f"{name}/oven/bias"].reason == "no images of oven"
        clustered = values[f"{overall}_clustered{twin}"]
        assert (clustered.value, clustered.n) == (50, 4)


def test_the_clustered_interval_is_over_shape_images(tmp_path):
    generator = np.random.default_rng(0)
    files, decisions, tally = [], [], {}
    for category in ("cat", "dog", "bear", "boat"):
        for number in (1, 2, 3, 4, 5):
            image = f"{category}{number}"
            chance = generator.uniform()
            for texture in ("car", "oven", "clock", category):
                files.append(f"{image}-{texture}{number}")
                by_shape = generator.uniform() < chance
                decisions.append(category if by_shape else texture)
                if texture != category:
                    one, other = tally.setdefault(image, (0, 0))
                    tally[image] = (one + by_shape, other + (not by_shape))
    first, second = np.array(list(tally.values())).T
    values = shape.summarize(measured(tmp_path, "cue_conflict", files, decisions))
    found, plain = values["shape/bias_clustered"], values["shape/bias"]
    assert found.value == plain.value == 100 * first.sum() / 60
    assert found.n == 60
    # Other draws of the same 20 images: a quantile's error is a tenth of the width.
    expected = clusters.share(first, second)
    np.testing.assert_allclose(
        (found.low, found.high), (expected.low, expected.high), atol=2
    )
    assert found.high - found.low > plain.high - plain.low


def test_bias_is_of_the_decided_images_and_rates_are_of_the_scored():
    values = shape.summarize(cell(220, 780))
    bias = values["shape/bias"]
    assert (bias.value, bias.n) == (22, 1000)
    interval = stats.binomtest(220, 1000).proportion_ci(method="wilson")
    assert (bias.low, bias.high) == (100 * interval.low, 100 * interval.high)
    assert values[f"{NAME}/shape"].value == pytest.approx(100 * 220 / 1200)
    assert values[f"{NAME}/texture"].value == 65
    assert values[f"{NAME}/texture"].n == 1200
    decided = values[f"{NAME}/decided"]
    assert (decided.value, decided.n) == (pytest.approx(100 * 1000 / 1200), 1200)


def test_a_published_bias_comes_from_published_counts():
    # tv_resnet50 in the study's table: 170 of 792 decisions.
    assert shape.summarize(cell(170, 622))["shape/bias"].value == 100 * 170 / 792


def test_without_records_or_a_list_of_examples_there_is_no_interval():
    values = shape.summarize(cell(220, 780))
    found = values["shape/bias_clustered"]
    assert found.value == 22 and np.isnan(found.low)
    assert found.reason.startswith("no interval: measured with records")
    ids = np.arange(3, dtype=np.uint64)
    records = pa.table({"id": ids, "predicted": np.zeros(3, int)})
    unlisted = Cell(cell(1, 2)[NAME].sums, lambda: records)
    found = shape.summarize({NAME: unlisted})["shape/bias_clustered"]
    assert np.isnan(found.low) and "its manifest" in found.reason
    other = {"id": ids + 1, "name": list("abc"), "shape_texture": [[0, 1]] * 3}
    foreign = Cell(unlisted.sums, lambda: records, lambda: pa.table(other))
    found = shape.summarize({NAME: foreign})["shape/bias_clustered"]
    assert np.isnan(found.low) and "other examples" in found.reason


def test_a_model_that_decides_for_neither_has_no_bias():
    values = shape.summarize(cell(0, 0))
    for name in ("shape/bias", "shape/bias_clustered", f"{NAME}/cat/bias"):
        assert np.isnan(values[name].value) and "either cue" in values[name].reason
    assert values[f"{NAME}/decided"].value == 0
    assert shape.summarize(cell(0, 5))["shape/bias"].value == 0


def test_what_was_not_measured_says_so():
    values = shape.summarize(cell(1, 1))
    names = [f"{NAME}/sum/{metric}" for metric in ("shape", "texture", "decided")]
    names += ["shape/bias_sum", "shape/bias_clustered_sum", f"{NAME}/sum/oven/bias"]
    for name in names:
        assert np.isnan(values[name].value) and f"{NAME}/sum" in values[name].reason
    found = values["shape/frequency_bias"]
    assert np.isnan(found.value) and FREQUENCIES in found.reason


def test_of_a_set_of_ones_own_what_was_measured_is_told_and_nothing_else():
    values = shape.summarize(cell(1, 1, name="shape/own/mine/sum"))
    assert values["shape/own/mine/bias_sum"].value == 50
    assert "shape/own/mine/bias" not in values
    assert not any("/own/" in name for name in shape.summarize(cell(1, 1)))


def test_the_two_read_outs_are_told_apart():
    first, second, *others = shape.benchmarks()
    assert first.source == second.source == "cue_conflict"
    assert {b.source for b in others} == {"frequency_cue_conflict"}
    assert (first.score.readout, second.score.readout) == ("mean", "sum")
    # Their sums have more in them than those of the first revision.
    assert first.revision == second.revision == 2
