"""Which images are looked at, and are they the same each time?"""

import pytest

from biases_jax.doctor import images


@pytest.mark.parametrize("text, sample", [("all", None), ("1", 1), ("200", 200)])
def test_a_sample_is_a_number_or_all(text, sample):
    assert images.sample_size(text) == sample


@pytest.mark.parametrize("text", ["0", "-1", "some", "", "1.5"])
def test_another_sample_is_refused(text):
    with pytest.raises(ValueError, match="expected 1 or more"):
        images.sample_size(text)


def test_a_sample_is_spread_evenly_and_holds_each_image_once():
    assert images.sampled(10, 4) == [0, 2, 5, 7]
    assert images.sampled(3, 200) == [0, 1, 2]
    assert images.sampled(3, None) == [0, 1, 2]
    assert images.sampled(0, 200) == []


def test_many_bad_files_are_one_finding_with_some_of_them():
    bad = [images.Bad("empty", f"{n}.JPEG", "no image") for n in range(7)]
    (finding,) = images.faults("imagenet", images.Decoded(9, bad, 0, 0.0))
    assert "got 7 files of 0 bytes among 9 decoded" in finding.message
    assert "4.JPEG and 2 more" in finding.message
