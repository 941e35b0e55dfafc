"""Does the stage tell all that is wrong at once, and change nothing?"""

import dataclasses
import shutil

import trees
from etils import epath

from biases_jax import benchmarks
from biases_jax.benchmark import Benchmark
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.stages import doctor, driver
from biases_jax.stages.request import resolve


def test_a_run_that_can_begin_is_well(small, capsys):
    assert doctor.run(small) == DONE
    output = capsys.readouterr().out
    assert "imagenet" in output and "not provable" in output
    assert "devices: 8 of cpu" in output
    assert output.rstrip().endswith("all is well")


def test_a_note_is_no_fault(small, tmp_path, capsys):
    (tmp_path / "images/0/notes.txt").write_text("x")
    assert doctor.run(small) == DONE
    output = capsys.readouterr().out
    assert "\n1 notes:\n1. imagenet: got 1 files that are no images" in output
    assert output.rstrip().endswith("all is well")
    (tmp_path / "images/0/0.jpeg").write_bytes(b"")
    assert doctor.run(small) == INCOMPLETE
    output = capsys.readouterr().out
    assert "1 notes:" in output and "1 findings:" in output


def test_the_driver_runs_it_and_nothing_is_written(small, tmp_path, capsys):
    before = sorted(tmp_path.rglob("*"))
    settings = dataclasses.replace(small.settings, stages=("doctor",))
    assert driver.run(settings) == DONE
    after = [p for p in sorted(tmp_path.rglob("*")) if "__pycache__" not in p.parts]
    assert after == [p for p in before if "__pycache__" not in p.parts]


def test_one_broken_source_or_model_does_not_hide_the_others(small, tmp_path, capsys):
    (tmp_path / "images/0/0.jpeg").write_bytes(b"")
    absent = benchmarks.select(("natural/imagenet_sketch",))
    models = tuple(
        dataclasses.replace(reference, function="nowhere:create")
        for reference in small.references[:1]
    )
    request = dataclasses.replace(
        small,
        benchmarks=(*absent, *small.benchmarks),
        references=(*models, *small.references[1:]),
    )
    assert doctor.run(request) == INCOMPLETE
    output = capsys.readouterr().out
    assert "3 findings:" in output
    assert "\n1. imagenet_sketch: got no tree" in output
    assert "\n2. imagenet: got 1 files of 0 bytes" in output
    assert "\n3. a: nowhere:create" in output


def test_a_missing_tree_of_many_sets_is_one_line_and_one_finding(small, capsys):
    names = [f"imagenet_c/fog/{severity}" for severity in (1, 2, 3)]
    absent = tuple(Benchmark(name, name) for name in names)
    request = dataclasses.replace(small, benchmarks=(*small.benchmarks, *absent))
    assert doctor.run(request) == INCOMPLETE
    output = capsys.readouterr().out
    assert output.count("not found") == 1 and "imagenet_c (3 sets)" in output
    assert "1 findings:" in output and "\n1. imagenet_c: got no tree" in output


def test_a_set_that_someone_else_made_is_a_note(small, tmp_path, capsys):
    name = "imagenet_c/fog/1"
    for place, data in trees.files(trees.examples(name)).items():  # of quality 75
        path = tmp_path / "images/imagenet-c/fog/1" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    request = dataclasses.replace(small, benchmarks=(Benchmark(name, name),))
    assert doctor.run(request) == INCOMPLETE  # ten are not 50,000
    output = capsys.readouterr().out
    assert "1 notes:\n1. imagenet_c: got files unlike the published" in output
    assert "fog/1: 10 of 10 JPEG files of other quantisation tables" in output


def test_files_to_be_converted_are_looked_for_where_the_run_has_them(
    small, tmp_path, capsys
):
    config = dataclasses.replace(
        small.config, models=("tv_resnet50",), weights_dir=str(tmp_path / "files")
    )
    settings = dataclasses.replace(small.settings, config=config)
    request = resolve(settings)
    assert doctor.run(request) == DONE
    output = capsys.readouterr().out
    assert "1 notes:\n1. weights: got no file of 1" in output
    assert f"{tmp_path}/files/resnet50.tv_in1k/model.safetensors from" in output
    page = tmp_path / "files/tv_resnet50.pth"
    page.parent.mkdir()
    page.write_text("<html>")
    assert doctor.run(request) == INCOMPLETE
    output = capsys.readouterr().out
    assert f"1. tv_resnet50: {page}: got an HTML" in output
    config = dataclasses.replace(config, offline=True, weights_dir=str(tmp_path))
    settings = dataclasses.replace(settings, config=config)
    assert doctor.run(resolve(settings)) == INCOMPLETE
    assert "1 findings:\n1. weights: got no file of 1" in capsys.readouterr().out


def test_sums_are_compared_when_all_is_read(small, tmp_path, monkeypatch):
    config = dataclasses.replace(small.config, models=("tv_resnet50",))
    asked = []

    def look(reference, folder, sums):
        asked.append(sums)
        return doctor.weights.Looked("there", [], [])

    monkeypatch.setattr(doctor.weights, "look", look)
    for sample in (None, 2):
        settings = dataclasses.replace(small.settings, config=config, sample=sample)
        doctor.run(resolve(settings))
    assert asked == [True, False]


def test_the_sample_is_what_was_asked_for(small, capsys):
    settings = dataclasses.replace(small.settings, sample=2)
    assert doctor.run(dataclasses.replace(small, settings=settings)) == DONE
    header, line = capsys.readouterr().out.splitlines()[:2]
    cells = dict(
        zip(header.split(), line.replace("not p", "not_p").split(), strict=True)
    )
    assert cells["decoded"] == "2" and cells["images"] == "6"


def test_progress_reaches_its_end_without_any_source(small, tmp_path, monkeypatch):
    shutil.rmtree(tmp_path / "images")
    counts = []

    class Counted(doctor.progress.Progress):
        """Remembers what is counted."""

        def __init__(self, total, title, unit):
            super().__init__(total, title, unit)
            counts.append(-total)

        def add(self, count, of_what):
            counts.append(count)
            super().add(count, of_what)

    monkeypatch.setattr(doctor.progress, "Progress", Counted)
    assert doctor.run(small) == INCOMPLETE
    assert sum(counts) == 0 and len(counts) > 1


def test_no_device_is_a_finding_beside_all_others(small, monkeypatch, capsys):
    def described():
        raise RuntimeError("no backend: lost the driver")

    monkeypatch.setattr(doctor.devices, "described", described)
    assert doctor.run(small) == INCOMPLETE
    output = capsys.readouterr().out
    assert "1 findings:\n1. devices: got no backend: lost the driver" in output
    assert "expected a device" in output and "not provable" in output


def test_the_time_to_decode_all_is_told(small, monkeypatch, capsys):
    examine = doctor.sources.examine

    def timed(*arguments):
        return dataclasses.replace(examine(*arguments), seconds=3725.4)

    monkeypatch.setattr(doctor.sources, "examine", timed)
    assert doctor.run(small) == DONE
    assert "takes about 1:02:05 (h:mm:ss) here" in capsys.readouterr().out


def test_sources_that_no_benchmark_reads_can_be_named(small, capsys):
    settings = dataclasses.replace(small.settings, sources=("imagenet_c/fog/1",))
    assert doctor.run(dataclasses.replace(small, settings=settings)) == INCOMPLETE
    output = capsys.readouterr().out
    assert "\n1. imagenet_c/fog/1: got no tree" in output
    assert "absent about 1.0 GB" in output and "images here 0.0 GB" in output


def test_images_that_the_run_will_make_are_a_note(small, capsys):
    made = str(small.settings.workdir / "world")
    config = dataclasses.replace(small.config, prepare="some:function", data_dir=made)
    settings = dataclasses.replace(small.settings, config=config)
    request = dataclasses.replace(small, settings=settings)
    assert doctor.run(request) == DONE
    output = capsys.readouterr().out
    assert "not found" in output and "put the published files there" not in output
    assert "\n1. images: got 1 lines of the table without images, expected" in output
    assert f"makes its images, in {made}, when it first evaluates (prepare = " in output
    assert "absent about 0.0 GB" in output
    epath.Path(made).mkdir(parents=True)  # begun, and without the set
    assert doctor.run(request) == INCOMPLETE
    output = capsys.readouterr().out
    assert "1 findings:\n1. imagenet: got no tree" in output
    assert "1 notes:\n1. images: got 1 lines" in output
