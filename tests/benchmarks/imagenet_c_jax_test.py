"""Are the corruptions made here complete, and honest about frost?"""

import math

import pytest

from biases_jax.benchmarks import imagenet_c_jax, imagenet_cbar_jax
from biases_jax.corruptions import frost_textures, names, synthetic_frost
from biases_jax.types import Cell


def no_records():
    raise ValueError("got no records")


def cells(found):
    return {b.name: Cell({"top1": 1, "top5": 2, "count": 4}, no_records) for b in found}


def test_there_are_19_corruptions_and_synthetic_frost_of_5_severities():
    found = {b.name: b for b in imagenet_c_jax.benchmarks()}
    kinds = (*names.NINETEEN, "frost_synthetic")
    assert set(found) == {f"imagenet_c_jax/{k}/{s}" for k in kinds for s in range(1, 6)}
    frosts = [found[f"imagenet_c_jax/{name}/3"] for name in imagenet_c_jax.FROSTS]
    textures = [benchmark.transform.corruption.textures for benchmark in frosts]
    assert textures == [frost_textures.PUBLISHED, synthetic_frost.NAME]
    assert len({benchmark.stream for benchmark in found.values()}) == 20


def test_there_are_10_of_the_other_set():
    found = [b.name for b in imagenet_cbar_jax.benchmarks()]
    expected = [
        f"imagenet_cbar_jax/{k}/{s}" for k in names.IMAGENET_CBAR for s in range(1, 6)
    ]
    assert found == expected


def test_without_photographs_of_frost_only_its_benchmarks_lack_something(monkeypatch):
    monkeypatch.delenv(frost_textures.VARIABLE, raising=False)
    monkeypatch.setattr(frost_textures, "PACKAGE", "no_such_package")
    lacking = {b.name for b in imagenet_c_jax.benchmarks() if b.lacks()}
    assert lacking == {f"imagenet_c_jax/frost/{severity}" for severity in range(1, 6)}
    [reason] = {b.lacks() for b in imagenet_c_jax.benchmarks()} - {""}
    assert "pip install --no-deps" in reason and frost_textures.VARIABLE in reason


def test_synthetic_frost_is_in_no_mean():
    found = [b for b in imagenet_c_jax.benchmarks() if "/frost/" not in b.name]
    values = imagenet_c_jax.summarize(cells(found))
    assert values["imagenet_c_jax/frost_synthetic/2/top1"].value == 25
    mean = values["imagenet_c_jax/mean15"]
    assert math.isnan(mean.value)
    assert mean.reason.startswith("incomplete: 5 of 75 cells are not measured: ")
    assert "imagenet_c_jax/frost/1" in mean.reason
    assert values["imagenet_c_jax/mean_noise"].value == pytest.approx(25)


@pytest.mark.parametrize("family", [imagenet_c_jax, imagenet_cbar_jax])
def test_gaps_are_to_the_published_files(family):
    own = cells(family.benchmarks())
    theirs = {name.replace("_jax/", "/"): cell for name, cell in own.items()}
    values = family.summarize(own | theirs)
    gaps = {
        name: value.value for name, value in values.items() if name.endswith("/gap")
    }
    of_family = 1
    assert len(gaps) == (95 if family is imagenet_c_jax else 50) + of_family
    assert set(gaps.values()) == {0.0}
