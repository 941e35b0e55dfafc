"""Does each fault of a source, alone, give its finding, and a healthy one none?"""

import dataclasses
import json
import sys

import pytest
import tfds_sets
import trees
from etils import epath

from biases_jax import benchmarks, labels
from biases_jax.config import EvaluateConfig
from biases_jax.doctor import images, sources
from biases_jax.sources import catalog, files, preprocess, records
from biases_jax.sources.source import Counts

TEN = Counts(classes=10, examples=10, per_class=1)
C = "imagenet_c/fog/3"


@pytest.fixture
def ten():
    """Return the files of ten validation images, by their places."""
    return trees.files(trees.validation("JPEG", 40))


def write(root, content):
    for place, data in content.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def examine(tmp_path, source="imagenet", asked=(), expected=TEN, sample=None):
    row = dataclasses.replace(catalog.SOURCES[source], expected=expected)
    config = EvaluateConfig(
        data_dir=str(tmp_path / "data"), tfds_dir=str(tmp_path / "tfds"), workers=2
    )
    seen = []
    manifests = epath.Path(tmp_path / "manifests")
    found = sources.examine(
        row,
        benchmarks.select(asked) if asked else (),
        config,
        manifests,
        sample,
        seen.append,
    )
    assert sum(seen) == found.decoded
    assert not manifests.exists()  # it only reads
    return found


def only(found):
    (finding,) = found.findings
    return finding.message


def cells(found):
    return dict(zip(sources.HEADER, found.line, strict=True))


def test_a_whole_tree_has_no_findings_and_its_labels_are_proved(tmp_path, ten):
    write(tmp_path / "data/imagenet/val", ten)
    found = examine(tmp_path)
    assert found.findings == []
    line = cells(found)
    assert (line["images"], line["classes"], line["expected"]) == ("10", "10", "10/10")
    assert (line["labels"], line["spaces"]) == ("proved", "imagenet")
    assert (line["decoded"], line["bad"]) == ("10", "0")
    assert line["place"] == str(tmp_path / "data/imagenet/val")
    assert line["MB"] == f"{sum(map(len, ten.values())) / 1e6:.1f}"


def test_a_sample_is_decoded(tmp_path, ten):
    write(tmp_path / "data", ten)
    assert examine(tmp_path, sample=4).decoded == 4


def test_an_archive_is_looked_at_in_place(tmp_path, ten):
    place = next(iter(ten))
    trees.pack(tmp_path / "data/imagenet/val.tar", {**ten, place: ten[place][:200]})
    message = only(examine(tmp_path))
    assert "1 images that cannot be decoded among 10" in message and place in message


def copied(root, found, file_format):
    records = tfds_sets.records("imagenet2012", found)
    tfds_sets.write(root / "tfds", "imagenet2012", "validation", records, file_format)


@pytest.mark.parametrize("file_format", ["array_record", "tfrecord"])
def test_a_tfds_copy_is_looked_at(tmp_path, ten, file_format):
    copied(tmp_path, trees.validation("JPEG", 40), file_format)
    found = examine(tmp_path)
    assert found.findings == []
    line = cells(found)
    assert "tfds/imagenet2012" in line.pop("place")
    write(tmp_path / "data", ten)
    same = cells(examine(tmp_path))
    assert same.pop("place") == str(tmp_path / "data")
    for figures in (line, same):  # this one depends on the clock
        figures.pop("seconds")
    assert line == same and line["decoded"] == "10"


@pytest.mark.parametrize("file_format", ["array_record", "tfrecord"])
def test_a_fault_in_a_tfds_copy_is_told(tmp_path, file_format):
    *rest, last = trees.validation("JPEG", 40)
    cut = dataclasses.replace(last, data=last.data[: len(last.data) // 2])
    copied(tmp_path, [*rest[1:], cut], file_format)
    found = examine(tmp_path)
    assert cells(found)["bad"] == "1" and cells(found)["images"] == "9"
    messages = " ".join(finding.message for finding in found.findings)
    assert "got 9 images of 9 classes, expected 10 of 10" in messages
    assert "absent: ILSVRC2012_val_00000001" in messages
    assert f"1 images that cannot be decoded among 9 decoded ({last.name}" in messages


def test_a_sample_of_a_stream_is_read_with_few_jumps(tmp_path, monkeypatch):
    copied(tmp_path, trees.validation("JPEG", 40), "tfrecord")
    monkeypatch.setattr(records, "_WINDOW", 1)
    begun = []
    stream = records.RecordStream._stream
    monkeypatch.setattr(
        records.RecordStream,
        "_stream",
        lambda self, first: begun.append(first) or stream(self, first),
    )
    monkeypatch.setattr(images, "_RUNS", 2)
    assert examine(tmp_path, sample=4).decoded == 4
    assert len(begun) == 1 + 2  # the list of names, and the runs


def test_a_copy_that_only_tensorflow_reads_says_so_without_it(tmp_path, monkeypatch):
    copied(tmp_path, trees.validation("JPEG", 40), "tfrecord")
    monkeypatch.setitem(sys.modules, "tensorflow", None)  # as if not installed
    found = examine(tmp_path)
    assert "biases_jax[tf]" in only(found) and cells(found)["place"] == "refused"


def test_an_absent_source_says_which_tree_and_where_it_looked(tmp_path):
    found = examine(tmp_path)
    message = only(found)
    assert f"{tmp_path}/data/imagenet/val/<class>/<image>" in message
    assert "10 images of 10 classes" in message
    assert "imagenet/ILSVRC2012_img_val.tar (all of it)" in message
    assert f"{tmp_path}/data/val (no such folder)" in message
    assert "tfds/imagenet2012/<version>/dataset_info.json" in message
    assert cells(found)["place"] == "not found"


def test_a_missing_class_is_told_with_its_file(tmp_path, ten):
    gone = next(place for place in ten if "00000004" in place)
    write(tmp_path / "data", {p: d for p, d in ten.items() if p != gone})
    message = only(examine(tmp_path))
    assert "got 9 images of 9 classes, expected 10 of 10" in message
    assert "absent: ILSVRC2012_val_00000004" in message


def test_missing_classes_of_a_set_of_200_are_named(tmp_path):
    content = trees.files(trees.examples("imagenet_a"))
    write(tmp_path / "data/imagenet-a", content)
    expected = catalog.SOURCES["imagenet_a"].expected
    found = examine(tmp_path, "imagenet_a", expected=expected)
    (message,) = [finding.message for finding in found.findings if finding.grave]
    lacking = labels.IMAGENET_A[1]  # the small set has each fiftieth
    assert f"absent: {labels.describe(lacking)}" in message


def test_a_surplus_class_folder_is_told(tmp_path, ten):
    write(tmp_path / "data", {**ten, "n00000000/x.JPEG": b"x"})
    assert "n00000000" in only(examine(tmp_path))


def test_a_surplus_file_is_told(tmp_path, ten):
    name = f"{labels.WNIDS[65]}/ILSVRC2012_val_00000001b.JPEG"
    write(tmp_path / "data", {**ten, name: trees.picture(0, "JPEG", 40)})
    messages = [f.message for f in examine(tmp_path).findings]
    assert any("got 11 images" in message for message in messages)
    assert any("ILSVRC2012_val_00000001b.JPEG" in message for message in messages)


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_files_that_are_no_images_are_a_note_with_the_first_of_them(
    tmp_path, ten, packed
):
    folder = f"{labels.WNIDS[65]}/"
    strays = {f"{folder}{n}.txt": b"x" for n in range(7)}
    if packed:
        trees.pack(tmp_path / "data/imagenet/val.tar", {**ten, **strays})
    else:
        write(tmp_path / "data/imagenet/val", {**ten, **strays})
    (note,) = examine(tmp_path).findings
    assert not note.grave and "got 7 files that are no images" in note.message
    assert f"{folder}0.txt" in note.message and "and 2 more" in note.message
    assert f"{folder}5.txt" not in note.message


@pytest.mark.parametrize(
    "damage, said",
    [
        (lambda data: b"", "1 files of 0 bytes"),
        (lambda data: b"\n<!DOCTYPE HTML><html>404</html>", "1 web pages"),
        (lambda data: data[: len(data) // 2], "1 images that cannot be decoded"),
        (lambda data: b"noise" * 9, "1 images that cannot be decoded"),
    ],
    ids=["empty", "page", "truncated", "noise"],
)
def test_a_bad_file_is_told_by_its_kind_and_place(tmp_path, ten, damage, said):
    place = list(ten)[6]
    write(tmp_path / "data", {**ten, place: damage(ten[place])})
    found = examine(tmp_path)
    assert said in only(found) and place in only(found)
    assert cells(found)["bad"] == "1"


@pytest.mark.parametrize("where", ["read", "decode"])
@pytest.mark.parametrize("error", [KeyError, AttributeError, ZeroDivisionError])
def test_no_error_of_one_file_hides_what_else_is_wrong(
    tmp_path, monkeypatch, ten, where, error
):
    first, last, *_ = ten
    del ten[first]
    write(tmp_path / "data", ten)
    module, name = {
        "read": (files.Folder, "read"),
        "decode": (preprocess, "decode"),
    }[where]
    plain = getattr(module, name)

    def fails(one, other):
        if other == last or one == ten[last]:
            raise error("odd")
        return plain(one, other)

    monkeypatch.setattr(module, name, fails)
    found = examine(tmp_path)
    messages = " ".join(finding.message for finding in found.findings)
    assert "got 9 images of 9 classes, expected 10 of 10" in messages
    assert f"among 9 decoded ({last}: {error.__name__}: " in messages
    assert cells(found)["images"] == "9" and cells(found)["bad"] == "1"


@pytest.mark.parametrize("error", [KeyError, AttributeError])
def test_no_error_of_a_corrupted_file_hides_the_counts(tmp_path, monkeypatch, error):
    write(tmp_path / "data/imagenet-c/fog/3", trees.files(trees.examples(C)))

    def fails(data, policy):
        raise error("odd")

    monkeypatch.setattr(preprocess, "decode", fails)
    expected = catalog.SOURCES[C].expected
    found = examine(tmp_path, C, expected=expected)
    assert cells(found)["images"] == "10" and cells(found)["bad"] == "10"
    assert any("expected 50000 of 1000" in one.message for one in found.findings)


def test_an_empty_file_of_an_archive_is_found_outside_the_sample_too(tmp_path, ten):
    places = list(ten)
    content = {**ten, places[3]: b"", places[8]: b""}
    trees.pack(tmp_path / "data/imagenet/val.tar", content)
    found = examine(tmp_path, sample=1)
    assert "got 2 files of 0 bytes" in only(found)
    # All sizes are known from the index: none is estimated from the sample.
    assert found.bytes == sum(map(len, content.values()))


def test_an_empty_file_is_found_outside_the_sample_too(tmp_path, ten):
    for place in ten:
        folder = tmp_path / place.replace("/", "_")
        write(folder / "data", {**ten, place: b""})
        assert "files of 0 bytes" in only(examine(folder, sample=1))


def test_corrupted_images_must_have_the_published_size(tmp_path):
    content = trees.files(trees.examples(C))
    write(tmp_path / "data/imagenet-c/fog/3", content)
    assert examine(tmp_path, C).findings == []
    place = next(iter(content))
    (tmp_path / "data/imagenet-c/fog/3" / place).write_bytes(
        trees.picture(1, "JPEG", 256)
    )
    message = only(examine(tmp_path, C))
    assert "1 images of another size" in message and "256x256" in message
    assert "generated by someone else or resized" in message


def test_a_renamed_class_folder_is_told_with_the_published_class(tmp_path, ten):
    renamed = {p.replace(labels.WNIDS[65], labels.WNIDS[66]): d for p, d in ten.items()}
    write(tmp_path / "data", renamed)
    found = examine(tmp_path)
    assert "got 1 wrong labels" in only(found)
    assert cells(found)["labels"] == "other than published"


def test_names_without_numbers_prove_nothing(tmp_path, ten):
    declared = {"source": "imagenet", "classes": 10, "examples": 10}
    plain = {place.replace("ILSVRC2012_val_", "x"): d for place, d in ten.items()}
    write(tmp_path / "data", {**plain, "dataset.json": json.dumps(declared).encode()})
    found = examine(tmp_path, expected=catalog.SOURCES["imagenet"].expected)
    assert found.findings == []
    assert cells(found)["labels"] == "not provable"
    (tmp_path / "data/dataset.json").unlink()
    assert "got 10 names such as" in only(examine(tmp_path))


def test_a_real_json_is_asked_for_where_a_benchmark_reads_it(tmp_path, ten):
    write(tmp_path / "data", ten)
    asked = ("natural/imagenet", "natural/imagenet_real")
    assert "expected ReaL's labels there" in only(examine(tmp_path, asked=asked))
    (tmp_path / "data/real.json").write_text(json.dumps([[1]] * 10))
    found = examine(tmp_path, asked=asked)
    assert found.findings == [] and cells(found)["spaces"] == "imagenet+real"
    (tmp_path / "data/real.json").write_text("[[1], [2000]]")
    assert "real.json" in only(examine(tmp_path, asked=asked))


def test_a_damaged_archive_is_a_finding(tmp_path):
    (tmp_path / "data/imagenet").mkdir(parents=True)
    (tmp_path / "data/imagenet/val.tar").write_bytes(b"\x1f\x8b" + bytes(600))
    found = examine(tmp_path)
    assert "run gunzip on it" in only(found)
    assert cells(found)["place"] == "refused"
