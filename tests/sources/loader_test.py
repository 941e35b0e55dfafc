import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sources.identity_test import Reader
from sources.source_files import encode, noise, opened, pictures

from biases_jax.sources import loader, preprocess


@pytest.fixture(scope="module")
def seventeen(tmp_path_factory):
    return opened(tmp_path_factory.mktemp("seventeen"), pictures(17))


def read(dataset, ranges, batch_size, workers=2):
    return list(loader.Loader(dataset, workers).batches(ranges, batch_size))


def test_seventeen_images_at_batch_four_count_seventeen(seventeen):
    batches = read(seventeen, [(0, 17)], 4)
    assert [(b.first, b.last) for b in batches] == [
        (0, 4),
        (4, 8),
        (8, 12),
        (12, 16),
        (16, 17),
    ]
    masks = np.concatenate([b.batch["mask"] for b in batches])
    ids = np.concatenate([b.batch["id"] for b in batches])[masks]
    assert masks.sum() == 17 and len(masks) == 20
    np.testing.assert_array_equal(ids, seventeen.ids)
    assert len(np.unique(ids, axis=0)) == 17


def test_a_batch_holds_pixels_labels_and_ids_of_its_examples(seventeen):
    for first, last, batch in read(seventeen, [(0, 17)], 7):
        assert batch["image"].shape == (7, 224, 224, 3)
        assert [v.dtype for v in (batch["image"], batch["id"], batch["mask"])] == [
            np.uint8,
            np.uint32,
            bool,
        ]
        n = last - first
        for row, index in enumerate(range(first, last)):
            pixels = preprocess.decode(seventeen.encoded(index), "pil_bilinear_256_224")
            np.testing.assert_array_equal(batch["image"][row], pixels)
        labels = batch["labels"]["imagenet"]
        np.testing.assert_array_equal(
            labels[:n], seventeen.labels["imagenet"][first:last]
        )
        # What pads is empty, and says so.
        assert not batch["image"][n:].any() and not batch["id"][n:].any()
        assert (labels[n:] == -1).all()
        assert batch["mask"].tolist() == [True] * n + [False] * (7 - n)


def test_every_range_starts_a_new_batch(seventeen):
    batches = read(seventeen, [(10, 15), (0, 0), (2, 4)], 3)
    assert [(b.first, b.last) for b in batches] == [(10, 13), (13, 15), (2, 4)]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_workers_change_nothing(seventeen, workers):
    alone = read(seventeen, [(3, 17), (0, 3)], 4, workers=0)
    for one, other in zip(
        alone, read(seventeen, [(3, 17), (0, 3)], 4, workers), strict=True
    ):
        assert one[:2] == other[:2]
        for key in ("image", "id", "mask"):
            np.testing.assert_array_equal(one.batch[key], other.batch[key])


@pytest.mark.parametrize("count", [1, 2, 3, 8, 20])
def test_shares_cover_every_example_once(count):
    shares = [loader.share(17, process, count) for process in range(count)]
    assert [i for first, last in shares for i in range(first, last)] == list(range(17))
    sizes = [last - first for first, last in shares]
    assert max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("count", [2, 3])
def test_processes_with_uneven_shares_read_what_one_reads(seventeen, count):
    together = [
        example
        for process in range(count)
        for b in read(seventeen, [loader.share(17, process, count)], 4)
        for example in b.batch["id"][b.batch["mask"]].tolist()
    ]
    assert together == seventeen.ids.tolist()


def test_a_process_outside_the_count_is_refused():
    with pytest.raises(ValueError, match="got process 2 of 2, expected 0 to 1"):
        loader.share(17, 2, 2)


@pytest.mark.parametrize("workers", [0, 2])
def test_all_corrupt_files_are_listed_and_masked_out(tmp_path, workers):
    files = pictures(9)
    places = list(files)
    files[places[2]] = b"<html>quota exceeded</html>"
    files[places[7]] = encode(noise(60, 60))[:-200]
    dataset = opened(tmp_path, files)
    reader = loader.Loader(dataset, workers)
    batches = list(reader.batches([(0, 9)], 4))
    bad = {places[2], places[7]}
    expected = [location for location in dataset.locations if location in bad]
    assert [location for location, _ in reader.corrupt] == expected
    reasons = dict(reader.corrupt)
    assert "no image in JPEG" in reasons[places[2]]
    assert "truncated" in reasons[places[7]]
    rows = [row for b in batches for row in range(b.last - b.first)]
    masks = np.concatenate([b.batch["mask"] for b in batches])[: len(rows)]
    lost = [dataset.locations[i] in bad for i in range(9)]
    assert masks.tolist() == [not b for b in lost]
    images = np.concatenate([b.batch["image"] for b in batches])[:9]
    assert images.any(axis=(1, 2, 3)).tolist() == [not b for b in lost]
    list(reader.batches([(0, 9)], 4))  # a second pass lists nothing twice
    assert len(reader.corrupt) == 2


class Compared(str):
    """A text that counts how often it is compared."""

    times = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Compared.times += 1
        return super().__eq__(other)


def test_thousands_of_corrupt_files_are_not_compared_with_each_other(tmp_path):
    count = 500
    dataset = opened(tmp_path, dict.fromkeys(pictures(1), b""))
    names = tuple(f"{number}.JPEG" for number in range(count))
    reader = Reader(names, imagenet=[0] * count)
    reader.locations = tuple(map(Compared, names))
    broken = type(dataset)(dataset.source, reader)
    Compared.times = 0
    reading = loader.Loader(broken, 0)
    list(reading.batches([(0, count)], 100))
    assert len(reading.corrupt) == count
    assert Compared.times < count  # each with all before it: 124,750


def test_a_file_that_vanishes_is_listed(tmp_path):
    dataset = opened(tmp_path, pictures(5))
    (tmp_path / "val" / dataset.locations[3]).unlink()
    reader = loader.Loader(dataset, 2)
    list(reader.batches([(0, 5)], 2))
    assert [location for location, _ in reader.corrupt] == [dataset.locations[3]]
    assert "No such file" in reader.corrupt[0][1]


class Lossy(loader.Loader):
    """Loses, repeats or appends examples on the way, as a faulty library might."""

    def __init__(self, dataset, workers, order):
        super().__init__(dataset, workers)
        self._order = order

    def _examples(self, grid, batch_size):
        return (self._decode(index) for index in self._order)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1, 3, 4], "got example 3, expected example 2"),
        ([0, 1, 1, 2, 3, 4], "got example 1, expected example 2"),
        ([0, 1, 2, 3], "got nothing, expected example 4"),
        ([0, 1, 2, 3, 4, 5], "got example 5 after the last one"),
    ],
)
def test_a_lost_or_repeated_example_fails_the_pass(seventeen, order, message):
    with pytest.raises(RuntimeError, match=message):
        list(Lossy(seventeen, 0, order).batches([(0, 5)], 2))


class Renamed:
    """A reader whose copy was prepared anew: other names than those listed."""

    def __init__(self, reader):
        self.names, self.locations = reader.names, reader.locations
        self.labels, self.expected, self.origin = reader.labels, None, ""
        self._reader = reader

    def read(self, index):
        return self._reader.read((index + 1) % len(self.names))


def test_an_example_under_another_name_fails_the_pass(seventeen):
    stale = type(seventeen)(seventeen.source, Renamed(seventeen.reader))
    with pytest.raises(ValueError, match="the copy changed after it was listed"):
        read(stale, [(0, 17)], 4)


class Broken(Renamed):
    """A reader that fails as no damaged file does."""

    def read(self, index):
        raise RuntimeError(f"lost the connection at {index}")


@pytest.mark.parametrize("workers", [0, 2])
def test_another_error_of_a_reader_ends_the_pass(seventeen, workers):
    broken = type(seventeen)(seventeen.source, Broken(seventeen.reader))
    with pytest.raises(RuntimeError, match="lost the connection at 0"):
        read(broken, [(0, 17)], 4, workers)
    _wait_for_threads()


def test_a_consumer_may_stop_early(seventeen):
    batches = loader.Loader(seventeen, 3).batches([(0, 17)], 2)
    next(batches)
    batches.close()
    _wait_for_threads()


def test_at_most_one_batch_is_decoded_ahead(seventeen):
    asked = []

    class Counting(Renamed):
        def read(self, index):
            asked.append(index)
            return self._reader.read(index)

    counted = type(seventeen)(seventeen.source, Counting(seventeen.reader))
    batches = loader.Loader(counted, 2).batches([(0, 17)], 3)
    next(batches)
    time.sleep(0.3)  # the workers have all the time they want
    assert len(asked) <= 3 + 3 + 2
    batches.close()


@pytest.mark.parametrize("bad", [(-1, 3), (0, 18), (5, 4)])
def test_a_range_outside_the_data_set_is_refused(seventeen, bad):
    with pytest.raises(ValueError, match=r"expected it within \[0, 17\)"):
        read(seventeen, [bad], 4)


def test_impossible_sizes_are_refused(seventeen):
    with pytest.raises(ValueError, match="batch size of 0"):
        read(seventeen, [(0, 17)], 0)
    with pytest.raises(ValueError, match="got -1 workers"):
        loader.Loader(seventeen, -1)


def test_loading_imports_no_other_framework_and_starts_no_device(tmp_path):
    opened(tmp_path, pictures(5))
    program = f"""
import dataclasses, sys
from biases_jax.sources import catalog, dataset, loader
row = dataclasses.replace(catalog.SOURCES["imagenet"], expected=None, numbered=False)
found = dataset.open_source(row, {str(tmp_path)!r}, "")
assert len(list(loader.Loader(found, 2).batches([(0, 5)], 2))) == 3
assert not {{"torch", "tensorflow"}} & set(sys.modules)
import jax
assert not jax._src.xla_bridge.backends_are_initialized()
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def _wait_for_threads():
    deadline = time.monotonic() + 5  # far above the time of one small picture
    while any(t.name.startswith("grain-prefetch") for t in threading.enumerate()):
        assert time.monotonic() < deadline, "workers go on after the pass has ended"
        time.sleep(0.01)
