"""Are natural images judged by the right labels, and are rates those of the sums?"""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import evaluate, labels, scores, sharding
from biases_jax.benchmarks import natural
from biases_jax.types import Cell

BY_NAME = {benchmark.name: benchmark for benchmark in natural.benchmarks()}
REAL = [[1], [], [2, 3], [0], []] * 2
PREDICTIONS = [1, 0, 3, 2, 0] * 2


def sees(variables, images):
    """A network that sees the class in the red of the first pixel."""
    del variables
    return jax.nn.one_hot(jnp.round(images[:, 0, 0, 0] * 255).astype(jnp.int32), 5)


def batches(order, size):
    """Yield ten examples in an order, the last batch padded."""
    image = np.zeros((len(order), 2, 2, 3), np.uint8)
    image[:, 0, 0, 0] = np.array(PREDICTIONS)[order]
    real = np.array([(REAL[i] + [-1, -1])[:2] for i in order], np.int32)
    ids = labels.example_ids([f"ILSVRC2012_val_{i + 1:08d}.JPEG" for i in order])
    for start in range(0, len(order), size):
        rows = slice(start, start + size)
        fill = (0, size - len(image[rows]))
        yield {
            "image": np.pad(image[rows], [fill, (0, 0), (0, 0), (0, 0)]),
            "labels": {"real": np.pad(real[rows], [fill, (0, 0)])},
            "id": np.pad(ids[rows], [fill, (0, 0)]),
            "mask": np.pad(np.ones(len(image[rows]), bool), fill),
        }


@pytest.mark.parametrize("size", [4, 8, 16])
@pytest.mark.parametrize("seed", [0, 1])
def test_real_is_4_of_6_whatever_the_order_and_the_batches(size, seed):
    benchmark = BY_NAME["natural/imagenet_real"]
    spread = sharding.spread("shard_map", jax.devices()[:4])
    order = np.random.default_rng(seed).permutation(10).tolist()
    model = evaluate.Model("m", sees, spread.replicate({}))
    steps = batches(order, size)
    totals = {}
    for outcome in evaluate.evaluate({"m": model}, {benchmark: ["m"]}, steps, spread):
        for name, value in outcome.sums.items():
            totals[name] = totals.get(name, 0) + value
    assert (totals["count"], totals["scored"], totals["top1"]) == (10, 6, 4)
    values = natural.summarize({benchmark.name: Cell(totals, lambda: None)})
    value = values["natural/imagenet_real/top1"]
    assert value.value == pytest.approx(100 * 4 / 6, rel=1e-12)  # one rounding
    assert value.n == 6


def test_accuracies_are_percentages_of_the_count():
    sums = {"count": 200, "top1": 150, "top5": 190, "nonfinite": 0}
    values = natural.summarize({"natural/imagenet": Cell(sums, lambda: None)})
    assert values["natural/imagenet/top1"].value == 75
    assert values["natural/imagenet/top5"].value == 95
    top1 = values["natural/imagenet/top1"]
    assert top1.low < 75 < top1.high and top1.n == 200


def test_nothing_measured_gives_reasons():
    for name, value in natural.summarize({}).items():
        assert math.isnan(value.value)
        assert name.rpartition("/")[0] in value.reason


def test_every_set_and_every_twin_is_there():
    assert list(BY_NAME) == [
        "natural/imagenet",
        "natural/imagenet_v2/matched_frequency",
        "natural/imagenet_v2/threshold_0.7",
        "natural/imagenet_v2/top_images",
        "natural/imagenet_real",
        "natural/imagenet_a/subset200",
        "natural/imagenet_a/full1000",
        "natural/imagenet_clean_a",
        "natural/imagenet_clean_a/full1000",
        "natural/imagenet_r/subset200",
        "natural/imagenet_r/full1000",
        "natural/imagenet_clean_r",
        "natural/imagenet_clean_r/full1000",
        "natural/imagenet_sketch",
        "natural/stylized_imagenet",
    ]


@pytest.mark.parametrize("letter", ["a", "r"])
def test_twins_are_judged_alike_on_the_validation_set(letter):
    name, twin = f"imagenet_{letter}", f"natural/imagenet_clean_{letter}"
    subset = BY_NAME[f"natural/{name}/subset200"]
    full = BY_NAME[f"natural/{name}/full1000"]
    assert (subset.source, full.source) == (name, name)
    assert subset.score == BY_NAME[twin].score == scores.Subset(name)
    assert full.score == scores.TopK()
    assert BY_NAME[f"{twin}/full1000"].score == scores.Within(name)
    assert BY_NAME[twin].source == BY_NAME[f"{twin}/full1000"].source == "imagenet"


@pytest.mark.parametrize("name", BY_NAME)
def test_every_benchmark_reads_its_own_set(name):
    own = {
        "natural/imagenet_v2/matched_frequency": "imagenet_v2/matched_frequency",
        "natural/imagenet_v2/threshold_0.7": "imagenet_v2/threshold_0.7",
        "natural/imagenet_v2/top_images": "imagenet_v2/top_images",
        "natural/imagenet_a/subset200": "imagenet_a",
        "natural/imagenet_a/full1000": "imagenet_a",
        "natural/imagenet_r/subset200": "imagenet_r",
        "natural/imagenet_r/full1000": "imagenet_r",
        "natural/imagenet_sketch": "imagenet_sketch",
        "natural/stylized_imagenet": "stylized_imagenet",
    }  # all others read the validation set
    assert BY_NAME[name].source == own.get(name, "imagenet")


def test_only_real_reads_other_labels_than_imagenets():
    spaces = {name: benchmark.score.label for name, benchmark in BY_NAME.items()}
    assert spaces.pop("natural/imagenet_real") == "real"
    assert set(spaces.values()) == {"imagenet"}


def test_stylized_imagenet_is_judged_among_all_classes():
    benchmark = BY_NAME["natural/stylized_imagenet"]
    assert benchmark.score == scores.TopK()
    assert benchmark.source == "stylized_imagenet"
