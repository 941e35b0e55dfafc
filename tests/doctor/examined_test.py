"""Does the doctor look at a source as it is told to, and tell only what is known?"""

import json

import pytest
import tfds_sets
import trees
from doctor.sources_test import TEN, cells, examine, only, write
from etils import epath

from biases_jax.config import EvaluateConfig
from biases_jax.doctor import images, sources
from biases_jax.sources import catalog, dataset, tfds_arrays

FILES = trees.files(trees.validation("JPEG", 40))


def test_a_small_set_that_lacks_one_is_not_told_of_50_000(tmp_path):
    declared = {"source": "imagenet", "classes": 10, "examples": 10}
    gone = next(place for place in FILES if "00000004" in place)
    files = {place: data for place, data in FILES.items() if place != gone}
    files["dataset.json"] = json.dumps(declared).encode()
    write(tmp_path / "data", files)
    expected = catalog.SOURCES["imagenet"].expected
    message = only(examine(tmp_path, expected=expected))
    assert "got 9 images of 9 classes, expected 10 of 10" in message
    assert "absent" not in message


def test_megabytes_of_a_folder_are_of_all_its_files(tmp_path):
    # Of different sizes, so that no one of them tells the sum.
    files = {
        place: data + bytes(100_000 * number)
        for number, (place, data) in enumerate(FILES.items())
    }
    write(tmp_path / "data/imagenet/val", files)
    line = cells(examine(tmp_path, sample=1))
    assert line["decoded"] == "1"
    assert line["MB"] == f"{sum(map(len, files.values())) / 1e6:.1f}"


@pytest.mark.parametrize(
    "page", [b'<?xml version="1.0"?><Error/>', b"<html></html>", b"<head></head>"]
)
def test_pages_of_every_kind_are_told(tmp_path, page):
    place = next(iter(FILES))
    write(tmp_path / "data", {**FILES, place: page})
    assert "1 web pages in place of images" in only(examine(tmp_path))


@pytest.mark.parametrize("workers", [1, 3])
def test_as_many_threads_decode_as_the_run_has_workers(tmp_path, monkeypatch, workers):
    asked = []

    class Counted(images.futures.ThreadPoolExecutor):
        """Remembers its number of threads."""

        def __init__(self, max_workers):
            asked.append(max_workers)
            super().__init__(max_workers)

    monkeypatch.setattr(images.futures, "ThreadPoolExecutor", Counted)
    write(tmp_path / "data", FILES)
    config = EvaluateConfig(data_dir=str(tmp_path / "data"), workers=workers)
    row = trees.any_size("imagenet")
    none = epath.Path(tmp_path / "none")
    sources.examine(row, (), config, none, None, lambda count: None)
    assert asked == [workers]


def test_a_list_that_a_run_has_kept_spares_a_pass_over_the_copy(tmp_path, monkeypatch):
    small = trees.any_size("imagenet_a")
    root, lists = tmp_path / "tfds", epath.Path(tmp_path / "lists")
    records = tfds_sets.records("imagenet_a", trees.examples("imagenet_a"))
    tfds_sets.write(root, "imagenet_a", "test", records, "array_record")
    dataset.open_source(small, "", str(root), lists)
    passes = []
    list_examples = tfds_arrays.list_examples

    def counted(*arguments):
        passes.append(1)
        return list_examples(*arguments)

    monkeypatch.setattr(tfds_arrays, "list_examples", counted)
    config = EvaluateConfig(tfds_dir=str(root))
    for place, count in ((lists, 0), (epath.Path(tmp_path / "none"), 1)):
        found = sources.examine(small, (), config, place, None, lambda count: None)
        assert found.decoded == len(trees.examples("imagenet_a"))
        assert len(passes) == count


def test_ten_images_are_what_the_tests_here_mean():
    assert TEN.examples == len(FILES) == 10
