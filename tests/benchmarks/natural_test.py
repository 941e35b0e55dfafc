"""Are accuracies those of the sums?"""

import math

from biases_jax.benchmarks import natural
from biases_jax.types import Cell


def test_accuracies_are_percentages_of_the_count():
    sums = {"count": 200, "top1": 150, "top5": 190, "nonfinite": 0}
    values = natural.summarize({"natural/imagenet": Cell(sums, lambda: None)})
    assert values["natural/imagenet/top1"].value == 75
    assert values["natural/imagenet/top5"].value == 95
    top1 = values["natural/imagenet/top1"]
    assert top1.low < 75 < top1.high and top1.n == 200


def test_nothing_measured_gives_reasons():
    for value in natural.summarize({}).values():
        assert math.isnan(value.value)
        assert "natural/imagenet" in value.reason
