"""Does the stage measure each missing cell once, and only sound ones?"""

import dataclasses
import json

import numpy as np
import pyarrow.parquet as parquet
from PIL import Image

from biases_jax import results
from biases_jax.settings import DONE, INCOMPLETE
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


def test_a_new_seed_is_measured_anew_and_the_old_one_counts_again(small):
    evaluate.run(small)
    assert len(blocks(small)) == CELLS
    evaluate.run(changed(small, seed=1))
    assert len(blocks(small)) == 2 * CELLS
    evaluate.run(changed(small, batch_size=5, workers=2))  # no science in these
    assert len(blocks(small)) == 2 * CELLS
    assert {r.provenance["seed"] for r in results.read(small.results).rows()} == {0}


def test_cells_that_could_not_be_begun_are_known_to_be_missing(small, monkeypatch):
    def refuse(*arguments):
        raise ValueError("no memory")

    with monkeypatch.context() as patch:
        patch.setattr("biases_jax.models.load.load", refuse)
        try:
            evaluate.run(small)
        except ValueError as error:
            assert "no memory" in str(error)
    incomplete = results.read(small.results).incomplete()
    assert len(incomplete) == CELLS
    assert {problem.n_seen for problem in incomplete} == {0}


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


def test_records_can_be_left_out(small):
    assert evaluate.run(changed(small, records=False)) == DONE
    assert not small.records.exists()
    assert {line["records"] for line in blocks(small)} == {""}


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
