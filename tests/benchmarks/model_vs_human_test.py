"""Are the sets of model-vs-human judged among sixteen categories?"""

import jax.numpy as jnp
import numpy as np

from biases_jax import labels
from biases_jax.benchmarks import model_vs_human
from biases_jax.types import Cell


def test_the_stylized_set_is_not_stylized_imagenet():
    benchmark, by_sums = model_vs_human.benchmarks()
    assert benchmark.name == benchmark.source == "model_vs_human/stylized"
    assert benchmark.score.label == "category"
    assert by_sums.source == benchmark.source and by_sums.name.endswith("/sum")
    assert (benchmark.score.readout, by_sums.score.readout) == ("mean", "sum")


def test_a_dog_of_any_breed_is_a_dog():
    benchmark, _ = model_vs_human.benchmarks()
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
