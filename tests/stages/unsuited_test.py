"""Does a model without ImageNet's classes lose only what needs them?"""

import dataclasses

from biases_jax import benchmarks, results
from biases_jax.settings import INCOMPLETE
from biases_jax.stages import evaluate


def test_small_models_are_measured_on_what_they_can_answer(small, caplog):
    names = ("natural/imagenet", "natural/imagenet_clean_a")
    request = dataclasses.replace(small, benchmarks=tuple(benchmarks.select(names)))
    assert evaluate.run(request) == INCOMPLETE
    rows = results.read(request.results).rows()
    assert [(r.model, r.benchmark) for r in rows] == [("a", names[0]), ("b", names[0])]
    for model in ("a", "b"):
        assert f"{model} on natural/imagenet_clean_a: got logits of 5" in caplog.text
    assert "expected ImageNet's 1000" in caplog.text
