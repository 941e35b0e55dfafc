"""Which images are looked at, and are they the same each time?"""

import re

import numpy as np
import pytest
import trees

from biases_jax.doctor import images
from biases_jax.sources import dataset, records


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


@pytest.mark.parametrize("examples", [1, 7, 8, 9, 50, 100, 50_000])
@pytest.mark.parametrize("sample", [1, 7, 8, 9, 50, 200, None])
def test_runs_are_few_spread_and_hold_each_image_once(examples, sample):
    runs = images.in_runs(examples, sample)
    flat = [index for run in runs for index in run]
    assert flat == sorted(set(flat)) and flat[0] == 0 and flat[-1] < examples
    assert all(run == list(range(run[0], run[-1] + 1)) for run in runs)
    assert len(runs) <= 8
    wanted = examples if sample is None else min(sample, examples)
    assert wanted * 7 // 8 <= len(flat) <= wanted
    if sample == 200 and examples == 50_000:
        assert len(flat) == 200 and flat[-1] > 40_000


class Slow(records.RecordStream):
    """A stream in which a jump takes 100 seconds and any record 1, by a false clock."""

    def __init__(self, names, clock):
        self.names = self.locations = names
        self.labels = {"imagenet": np.zeros((len(names), 1), np.int32)}
        self.expected, self.origin = None, ""
        self.clock, self.next, self.picture = clock, 0, trees.picture(0, "JPEG", 40)

    def read(self, index):
        self.clock[0] += 1 if index == self.next else 101
        self.next = index + 1
        return self.names[index], self.picture


@pytest.mark.parametrize("sample", [5, 20, 200, None])
def test_the_time_of_all_is_without_the_jumps_of_a_sample(monkeypatch, sample):
    clock = [0.0]
    monkeypatch.setattr(images.time, "monotonic", lambda: clock[0])
    reader = Slow(tuple(f"{n}.JPEG" for n in range(1000)), clock)
    opened = dataset.Dataset(trees.any_size("imagenet"), reader)
    found = images.decode(opened, sample, 1, lambda count: None)
    assert found.tried == (sample or 1000) and not found.bad
    assert found.seconds == pytest.approx(1000)


@pytest.mark.parametrize(
    ("source", "advice"),
    [
        ("imagenet_c/fog/3", "expected none; this set is published at .* fetch the"),
        ("own/mine", "expected none; resize them to 224x224 pixels$"),
        ("own_cue_conflict/mine", "expected none; resize them to 224x224 pixels$"),
    ],
)
def test_only_published_images_of_another_size_are_to_be_fetched(source, advice):
    bad = [images.Bad("size", "bear/1.png", "got 9x9 pixels")]
    (finding,) = images.faults(source, images.Decoded(9, bad, 0, 0.0))
    assert re.search(advice, finding.message)


def test_many_bad_files_are_one_finding_with_some_of_them():
    bad = [images.Bad("empty", f"{n}.JPEG", "no image") for n in range(7)]
    (finding,) = images.faults("imagenet", images.Decoded(9, bad, 0, 0.0))
    assert "got 7 files of 0 bytes among 9 decoded" in finding.message
    assert "4.JPEG and 2 more" in finding.message
