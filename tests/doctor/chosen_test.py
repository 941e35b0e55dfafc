"""Are the sources that were named looked at, and an unknown name refused?"""

import pytest

from biases_jax import benchmarks
from biases_jax.doctor import chosen


def test_patterns_choose_sources_in_the_order_of_the_catalogue():
    found = chosen.select(("imagenet_c/fog/*", "cue_conflict"))
    fog = tuple(f"imagenet_c/fog/{severity}" for severity in range(1, 6))
    assert found == ("cue_conflict", *fog)
    assert chosen.select(()) == ()


def test_an_unknown_source_is_refused_with_the_known():
    with pytest.raises(ValueError, match="got 'imagnet', expected.*imagenet_r"):
        chosen.select(("imagenet", "imagnet"))


def test_named_sources_are_looked_at_in_place_of_those_that_are_read():
    read = benchmarks.select(("natural/imagenet", "natural/imagenet_sketch"))
    assert list(chosen.asked((), read)) == ["imagenet", "imagenet_sketch"]
    found = chosen.asked(("cue_conflict", "imagenet"), read)
    assert found == {"cue_conflict": [], "imagenet": read[:1]}
