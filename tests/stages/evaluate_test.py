"""Does the stage measure each missing cell once, and only sound ones?"""

import dataclasses
import json
import time

import jax
import numpy as np
import pyarrow.parquet as parquet
import pytest
from PIL import Image

from biases_jax import benchmark, benchmarks, examples, results
from biases_jax import evaluate as engine
from biases_jax.config import PRECISIONS
from biases_jax.models import load, names, resnet
from biases_jax.processes import Process
from biases_jax.settings import DONE, INCOMPLETE
from biases_jax.sources import copy_errors, trees
from biases_jax.stages import evaluate

EXAMPLES, CELLS = 6, 4  # of the fixture `small` (conftest.py)


def changed(request, **settings):
    config = dataclasses.replace(request.config, **settings)
    new = dataclasses.replace(request.settings, config=config)
    return dataclasses.replace(request, settings=new)


def blocks(request):
    lines = [
        json.loads(line)
        for path in request.results.glob("*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return [line for line in lines if line["kind"] == "block"]


def test_answers_are_those_of_the_model_on_each_image(small, tmp_path):
    assert evaluate.run(small) == DONE
    rows = {(r.model, r.benchmark): r for r in results.read(small.results).rows()}
    assert len(rows) == CELLS
    files = sorted((tmp_path / "images").glob("*/*.jpeg"))
    means = [np.asarray(Image.open(f).convert("RGB")).mean((0, 1)) for f in files]
    labels = [int(f.parent.name) for f in files]
    expected = sum(int(m.argmax()) == c for m, c in zip(means, labels, strict=True))
    # Resized and cropped, the noise moves the means a little; the tints are far apart.
    assert 0 < expected < EXAMPLES
    assert rows["a", "natural/imagenet"].sums["top1"] == expected
    assert rows["b", "natural/imagenet"].sums == rows["a", "natural/imagenet"].sums
    assert all(row.sums["count"] == EXAMPLES for row in rows.values())
    assert all(row.provenance["n_unique"] == EXAMPLES for row in rows.values())


def test_a_new_seed_is_measured_anew_and_the_old_one_counts_again(small):
    evaluate.run(small)
    assert len(blocks(small)) == CELLS
    evaluate.run(changed(small, seed=1))
    assert len(blocks(small)) == 2 * CELLS
    evaluate.run(changed(small, batch_size=5, workers=2))  # no science in these
    assert len(blocks(small)) == 2 * CELLS
    assert {r.provenance["seed"] for r in results.read(small.results).rows()} == {0}


@pytest.mark.parametrize(
    ("good", "bad", "message"),
    [
        ("images.mean((1, 2)) @", "images @", "shape (2, 224, 224, 5)"),
        ("images.mean((1, 2)) @", "images.mean((1, 2))[:1] @", "shape (1, 5)"),
        ("np.eye(3, 5", "np.eye(3, 1", "shape (2, 1)"),
        ('{"head": 2 * ', '{"tail": 2 * ', "KeyError: 'head'"),
        ("def second", "def third", "no attribute 'second'"),
    ],
)
def test_a_model_that_fails_costs_its_own_cells_only(
    small, tmp_path, caplog, good, bad, message
):
    code = (tmp_path / "colour_models.py").read_text()
    (tmp_path / "broken_models.py").write_text(code.replace(good, bad))
    a, b = small.references
    broken = dataclasses.replace(b, function="broken_models:second")
    request = dataclasses.replace(small, references=(a, broken))
    assert evaluate.run(request) == INCOMPLETE
    journal = results.read(request.results)
    assert {row.model for row in journal.rows()} == {"a"}
    assert {cell[0] for cell in request.unfinished(journal.verdicts())} == {"b"}
    assert "cannot be measured" in caplog.text and message in caplog.text


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("order", [1, -1])
def test_a_model_that_fails_while_it_runs_costs_its_own_cells_only(
    small, tmp_path, caplog, per_pass, order
):
    code = (tmp_path / "colour_models.py").read_text()
    # It passes the check, which asks for two images, and fails on the real batch.
    failing = code.replace(
        "    return images",
        "    if images.shape[0] != 2:\n"
        "        raise RuntimeError('worn out')\n"
        "    return images",
    )
    (tmp_path / "broken_models.py").write_text(failing)
    a, b = small.references
    broken = dataclasses.replace(b, function="broken_models:second")
    request = changed(small, models_per_pass=per_pass)
    request = dataclasses.replace(request, references=(a, broken)[::order])
    assert evaluate.run(request) == INCOMPLETE
    rows = results.read(request.results).rows()
    assert [row.model for row in rows] == ["a", "a"]
    assert "cannot be measured on imagenet: b: " in caplog.text
    assert "worn out" in caplog.text


def test_records_that_are_empty_files_are_made_again(small):
    evaluate.run(small)
    for path in small.records.glob("*.parquet"):
        path.write_bytes(b"")
    assert evaluate.run(small) == DONE
    for row in results.read(small.results).rows():
        assert examples.load(small.records, row).num_rows == EXAMPLES


def test_cells_that_could_not_be_begun_are_known_to_be_missing(small, monkeypatch):
    def refuse(*arguments):
        raise load.ModelError("no memory")

    monkeypatch.setattr(load, "load", refuse)
    assert evaluate.run(small) == INCOMPLETE
    incomplete = results.read(small.results).incomplete()
    assert len(incomplete) == CELLS
    assert {problem.n_seen for problem in incomplete} == {0}


def test_labels_that_a_model_does_not_know_are_refused(small, tmp_path, caplog):
    tree = tmp_path / "images"
    (tree / "1").rename(tree / "7")  # the models have five classes
    assert evaluate.run(small) == INCOMPLETE
    assert "got 5 classes, expected more than 7" in caplog.text
    assert results.read(small.results).rows() == []


def test_a_model_with_broken_logits_publishes_nothing(small, monkeypatch, tmp_path):
    broken = (tmp_path / "colour_models.py").read_text().replace("2 *", "np.nan *")
    (tmp_path / "broken_models.py").write_text(broken)
    references = [
        dataclasses.replace(r, function=r.function.replace("colour", "broken"))
        for r in small.references
    ]
    request = dataclasses.replace(small, references=tuple(references))
    evaluate.run(request)
    journal = results.read(request.results)
    assert {row.model for row in journal.rows()} == {"a"}
    assert {problem.model for problem in journal.refused()} == {"b"}


@pytest.mark.parametrize(
    ("precision", "expected"),
    [("float32", "highest"), ("tf32", "tensorfloat32"), ("bfloat16", "bfloat16")],
)
def test_products_of_other_networks_have_the_precision_asked_for(
    small, tmp_path, monkeypatch, precision, expected
):
    traced = []
    monkeypatch.setattr(
        "builtins.note",
        lambda: traced.append(jax.config.jax_default_matmul_precision),
        raising=False,
    )
    code = (tmp_path / "colour_models.py").read_text()
    noting = code.replace("    return images", "    note()\n    return images")
    (tmp_path / "broken_models.py").write_text(noting)
    models = tuple(text.replace("colour", "broken") for text in small.config.models)
    references = names.parse(models)
    request = changed(small, precision=precision)
    evaluate.run(dataclasses.replace(request, references=tuple(references)))
    assert set(traced) == {expected}


def test_the_seed_reaches_the_noise(small, monkeypatch):
    seeds = []
    loop = engine.evaluate

    def watched(models, cells, batches, spread, seed):
        seeds.append(seed)
        return loop(models, cells, batches, spread, seed)

    monkeypatch.setattr(engine, "evaluate", watched)
    evaluate.run(changed(small, seed=11))
    assert set(seeds) == {11}


def test_the_names_of_precisions_are_the_same_everywhere():
    assert set(PRECISIONS) == set(evaluate.MATMUL_PRECISION) == set(resnet.PRECISIONS)


def test_records_can_be_left_out(small):
    assert evaluate.run(changed(small, records=False)) == DONE
    assert not small.records.exists()
    assert {line["records"] for line in blocks(small)} == {""}


@pytest.mark.parametrize("how", ["off at first", "deleted"])
def test_records_that_are_not_there_are_made_when_asked_for(small, how):
    evaluate.run(changed(small, records=how == "deleted"))
    before = results.read(small.results).rows()
    for path in small.records.glob("*.parquet"):
        path.unlink()
    assert evaluate.run(small) == DONE
    rows = results.read(small.results).rows()
    assert [row.sums for row in rows] == [row.sums for row in before]
    for row in rows:
        assert examples.load(small.records, row).num_rows == EXAMPLES
    lines = len(blocks(small))
    evaluate.run(small)
    assert len(blocks(small)) == lines


def test_a_small_source_is_not_padded_to_a_whole_batch(small):
    assert evaluate.run(changed(small, batch_size=10**6)) == DONE


def test_costs_add_up_to_the_runs(small):
    evaluate.run(changed(small, models_per_pass=2))
    costs = [line["cost"] for line in blocks(small)]
    assert sum(cost["forwards"] for cost in costs) == CELLS * EXAMPLES
    assert sum(cost["decodes"] for cost in costs) == pytest.approx(EXAMPLES)
    # All cells of the one pass took the same time together: each has a like part.
    assert len({cost["seconds"] for cost in costs}) == 1
    first = {line["fingerprint"] for line in blocks(small)}
    elapsed = time.monotonic()
    evaluate.run(changed(small, models_per_pass=2, seed=5))
    elapsed = time.monotonic() - elapsed
    new = [line for line in blocks(small) if line["fingerprint"] not in first]
    assert len(new) == CELLS
    assert 0 < sum(line["cost"]["seconds"] for line in new) < elapsed


def test_records_join_with_the_manifest_on_ids(small):
    evaluate.run(small)
    manifest = parquet.read_table(small.sources / "imagenet.parquet")
    files = [parquet.read_table(path) for path in small.records.glob("*.parquet")]
    ids = {number for table in files for number in table["id"].to_pylist()}
    assert sum(table.num_rows for table in files) == CELLS * EXAMPLES
    assert ids == set(manifest["id"].to_pylist())


def test_corrupt_images_are_kept_for_the_report_until_they_are_mended(small, tmp_path):
    victim = next((tmp_path / "images/0").glob("*.jpeg"))
    good = victim.read_bytes()
    victim.write_bytes(good[:100])
    assert evaluate.run(small) == INCOMPLETE
    (listed,) = small.sources.glob(f"*{evaluate.CORRUPT}")
    assert victim.name in listed.read_text()
    assert results.read(small.results).rows() == []
    victim.write_bytes(good)
    assert evaluate.run(small) == DONE
    assert list(small.sources.glob(f"*{evaluate.CORRUPT}")) == []
    assert len(results.read(small.results).rows()) == CELLS


def test_without_real_labels_the_other_benchmarks_are_measured(small, caplog):
    asked = tuple(benchmarks.select(["natural/imagenet_real"]))
    both = dataclasses.replace(small, benchmarks=(*asked, *small.benchmarks))
    assert evaluate.run(both) == INCOMPLETE
    assert "natural/imagenet_real cannot be measured: got no " in caplog.text
    assert len(results.read(small.results).rows()) == CELLS


def test_corrupt_images_of_a_source_whose_name_has_parts_are_listed(small, tmp_path):
    folder = tmp_path / "images/imagenet-c/fog/3"
    folder.mkdir(parents=True)
    for index, wnid in enumerate(("n01440764", "n01443537")):
        (folder / wnid).mkdir()
        (folder / wnid / f"{index}.JPEG").write_bytes(b"<html>")
    declared = {"source": "imagenet_c/fog/3", "classes": 2, "examples": 2}
    (folder / "dataset.json").write_text(json.dumps(declared))
    asked = (benchmark.Benchmark("imagenet_c/fog/3", "imagenet_c/fog/3"),)
    assert evaluate.run(dataclasses.replace(small, benchmarks=asked)) == INCOMPLETE
    (listed,) = small.sources.glob(f"*{evaluate.CORRUPT}")
    assert listed.name == f"imagenet_c-fog-3.0{evaluate.CORRUPT}"


def test_a_process_without_work_loads_no_model(small, monkeypatch):
    process = Process(1, 2)
    settings = dataclasses.replace(small.settings, process=process)
    second = dataclasses.replace(small, settings=settings)
    assert evaluate.run(second) == DONE
    half = blocks(small)
    assert {(line["first"], line["last"]) for line in half} == {(3, 6)}

    def refuse(*arguments):
        raise AssertionError("loaded for nothing")

    monkeypatch.setattr(load, "load", refuse)
    assert evaluate.run(second) == DONE


def test_a_copy_that_cannot_be_read_is_no_fault_of_a_model(small, monkeypatch, caplog):
    def read(tree, index):
        raise copy_errors.CopyError("/copy: got damage")

    monkeypatch.setattr(trees.Tree, "read", read)
    assert evaluate.run(small) == INCOMPLETE
    assert "cannot be measured on imagenet: /copy: got damage" in caplog.text
    assert "a: " not in caplog.text and "each alone" not in caplog.text
