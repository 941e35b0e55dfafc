"""Is a benchmark what its repr says?"""

import dataclasses

import pytest

from biases_jax.benchmark import Benchmark
from biases_jax.types import Value


def test_a_benchmark_draws_from_a_stream_of_its_own_unless_told():
    benchmark = Benchmark("noise/low/1", "imagenet")
    assert benchmark.stream == "noise/low/1"
    assert benchmark.family == "noise"
    shared = dataclasses.replace(benchmark, stream="noise/low")
    assert shared.stream == "noise/low"
    assert repr(shared) != repr(benchmark)


def test_the_repr_tells_every_field():
    first = Benchmark("a/b", "imagenet")
    for field, value in {"name": "a/c", "source": "v2", "revision": 2}.items():
        other = dataclasses.replace(first, **{field: value})
        assert repr(other) != repr(first)
        assert repr(value) in repr(other)


def test_a_number_that_is_missing_must_say_why():
    with pytest.raises(ValueError, match="without a reason"):
        Value(float("nan"))
