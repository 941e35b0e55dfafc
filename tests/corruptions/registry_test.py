"""Are all published corruptions had by their names, and nothing else?"""

import pytest

from biases_jax import corruptions
from biases_jax.corruptions import names, registry
from biases_jax.corruptions.corruption import Corruption

DIFFERENT = {  # between the flavours
    "motion_blur",
    "snow",
    "frost",
    "fog",
    "elastic_transform",
}


@pytest.mark.parametrize("name", registry.NAMES)
@pytest.mark.parametrize("flavour", ["original", "imagecorruptions"])
def test_every_corruption_is_had_in_every_severity(name, flavour):
    found = [corruptions.get(name, severity, flavour) for severity in names.SEVERITIES]
    assert [made.severity for made in found] == [1, 2, 3, 4, 5]
    assert len(set(found)) == 5
    for made in found:
        assert isinstance(made, Corruption)
        assert type(made).__name__.lower() == name.replace("_", "")
        assert type(made).__doc__


@pytest.mark.parametrize("name", registry.NAMES)
def test_flavours_are_told_apart_where_they_differ(name):
    first = corruptions.get(name, 3)
    assert first == corruptions.get(name, 3, "original")
    other = corruptions.get(name, 3, "imagecorruptions")
    assert (first != other) == (name in DIFFERENT)


def test_there_are_nineteen_and_ten():
    assert len(registry.NAMES) == len(set(registry.NAMES)) == 29


@pytest.mark.parametrize("name", ["rain", "", "Fog", "corruption", "names"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="expected one of blue_noise_sample, brightn"):
        corruptions.get(name, 1)


def test_a_misspelt_name_is_told_the_nearest():
    with pytest.raises(ValueError, match="; nearest: gaussian_noise"):
        corruptions.get("gausian_noise", 1)


def test_other_flavours_and_severities_are_refused():
    with pytest.raises(ValueError, match="got flavour 'tfds'"):
        corruptions.get("brightness", 1, "tfds")
    with pytest.raises(ValueError, match="got severity 10"):
        corruptions.get("sparkles", 10)  # a level of the generator
