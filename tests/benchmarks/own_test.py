"""Are sets of one's own measured by the same names and scores as published ones?"""

import dataclasses

import pytest

from biases_jax import benchmarks


@pytest.mark.parametrize("ending", ["", "/sum"])
@pytest.mark.parametrize(
    ("family", "source", "like"),
    [
        ("model_vs_human", "own/mine", "model_vs_human/edge"),
        ("shape", "own_cue_conflict/mine", "shape/cue_conflict"),
    ],
)
def test_a_set_of_ones_own_is_scored_as_the_published_ones_are(
    family, source, like, ending
):
    name = f"{family}/own/mine{ending}"
    published = benchmarks.get(f"{like}{ending}")
    expected = dataclasses.replace(published, name=name, source=source, stream=name)
    assert benchmarks.get(name) == expected
    assert benchmarks.select([name]) == [expected]


def test_they_are_selected_beside_the_listed_ones_and_only_by_their_names():
    names = ["shape/own/b", "shape/cue_*", "shape/own/a/sum", "shape/own/b"]
    found = [benchmark.name for benchmark in benchmarks.select(names)]
    listed = ["shape/cue_conflict", "shape/cue_conflict/sum"]
    assert found == [*listed, "shape/own/b", "shape/own/a/sum"]
    assert not any("/own/" in name for name in benchmarks.all_benchmarks())
    known = "model_vs_human/own/<folder> or shape/own/<folder>"
    for wrong in ("shape/own/*", "shape/own/", "shape/own/a/b", "natural/own/a"):
        with pytest.raises(ValueError, match=known):
            benchmarks.select([wrong])
        assert benchmarks.get(wrong) is None
