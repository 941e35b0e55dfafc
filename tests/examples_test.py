"""Every example is there once, and is found again."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from biases_jax import examples, labels, results
from biases_jax.types import Record


def part(model="m", benchmark="natural/imagenet", mark="f", first=0, n=4, seed=0):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 2**32, (n, 2), dtype=np.uint32)
    record = Record(
        predicted=rng.integers(0, 1000, n).astype(np.int32),
        correct=rng.integers(0, 2, n).astype(bool),
        margin=rng.random(n).astype(np.float32),
        best5=rng.integers(-1, 1000, (n, 5)).astype(np.int32),
        negative_log_likelihood=rng.random(n).astype(np.float32),
    )
    return examples.Part(model, benchmark, mark, first, ids, record)


def hash_of(parts):
    ids = np.concatenate([labels.packed_ids(p.ids) for p in parts])
    return labels.order_sha256(ids)


def row(parts, file, n=None, model="m", order=None):
    order = order or hash_of(parts)
    blocks = [
        results.Block(p.fingerprint, order, p.first, p.first + len(p.ids), {}, {}, file)
        for p in parts
    ]
    n = n or sum(len(p.ids) for p in parts)
    mark, benchmark = parts[0].fingerprint, parts[0].benchmark
    return results.Row(model, benchmark, mark, n, {}, {}, {}, (), tuple(blocks))


def test_what_is_written_is_read_again_sorted_by_id(tmp_path):
    parts = [part(first=0), part(first=4, n=3, seed=1)]
    file = examples.write(tmp_path, "pass", parts)
    assert [path.name for path in tmp_path.iterdir()] == [file]
    assert file.startswith("pass-") and file.endswith(".parquet")
    table = examples.load(tmp_path, row(parts, file))
    assert table.schema.equals(examples.SCHEMA)
    ids = np.concatenate([labels.packed_ids(p.ids) for p in parts])
    order = np.argsort(ids)
    assert (table["id"].to_numpy() == ids[order]).all()
    for name in Record._fields:
        column = np.concatenate([getattr(p.record, name) for p in parts])[order]
        assert table[name].to_pylist() == column.tolist(), name
    assert set(table["model"].to_pylist()) == {"m"}


def test_a_second_file_of_the_same_name_replaces_none(tmp_path):
    files = {examples.write(tmp_path, "source/level", [part()]) for _ in range(3)}
    assert len(files) == 3 == len(list(tmp_path.iterdir()))


def test_one_cell_is_one_row_group_with_zstd(tmp_path):
    parts = [part(benchmark=f"b/{i}", mark=f"f{i}", seed=i) for i in range(3)]
    file = examples.write(tmp_path, "x", parts)
    metadata = parquet.read_metadata(tmp_path / file)
    assert metadata.num_row_groups == 3
    assert metadata.row_group(0).column(3).compression == "ZSTD"
    for expected in parts:
        table = examples.load(tmp_path, row([expected], file))
        assert set(table["benchmark"].to_pylist()) == {expected.benchmark}
        assert len(table) == 4
    assert len(parquet.read_table(tmp_path / file)) == 12


def test_models_of_equal_weights_read_their_own_or_each_others_answers(tmp_path):
    parts = [part(model="a"), part(model="b", seed=0)]
    file = examples.write(tmp_path, "x", parts)
    for model, written in (("a", "a"), ("b", "b"), ("c", "a")):
        table = examples.load(tmp_path, row(parts[:1], file, model=model))
        assert set(table["model"].to_pylist()) == {written}


def test_a_duplicate_a_missing_and_a_foreign_example_are_named(tmp_path):
    parts = [part(first=0, n=4, seed=0), part(first=4, n=4, seed=0)]
    file = examples.write(tmp_path, "x", parts)
    ids = labels.packed_ids(parts[0].ids)
    with pytest.raises(ValueError, match=f"4 examples are twice: {min(ids):016x}"):
        examples.load(tmp_path, row(parts, file))
    whole = row(parts[:1], file)
    assert len(examples.load(tmp_path, whole, ids[::-1])) == 4
    with pytest.raises(ValueError, match="1 examples are missing: 0000000000000007"):
        examples.load(tmp_path, whole, np.append(ids, np.uint64(7)))
    with pytest.raises(ValueError, match=f"1 examples are foreign: {ids[0]:016x}"):
        examples.load(tmp_path, whole, ids[1:])
    with pytest.raises(ValueError, match="4 examples, not 5"):
        examples.load(tmp_path, row(parts[:1], file, n=5))


def test_the_ids_must_be_the_source_s_in_its_order(tmp_path):
    parts = [part(first=0), part(first=4, seed=1)]
    file = examples.write(tmp_path, "x", parts)
    with pytest.raises(ValueError, match="hash differs"):
        examples.load(tmp_path, row(parts, file, order=hash_of(parts[::-1])))


def test_a_block_without_records_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"\[0, 4\) were measured with records"):
        examples.load(tmp_path, row([part()], ""))


def test_a_block_that_its_file_does_not_hold_is_an_error(tmp_path):
    file = examples.write(tmp_path, "x", [part()])
    with pytest.raises(ValueError, match=r"does not hold examples \[4, 8\)"):
        examples.load(tmp_path, row([part(first=4)], file))


@pytest.mark.parametrize("name", ["predicted", "best5"])
def test_classes_beyond_int16_are_refused_and_leave_no_file(tmp_path, name):
    good = part()
    bad = good.record._replace(**{name: getattr(good.record, name) + 40000})
    with pytest.raises(ValueError, match="16-bit classes"):
        examples.write(tmp_path, "x", [good._replace(record=bad)])
    assert not list(tmp_path.glob("*.parquet"))


def test_the_columns_are_small():
    assert examples.SCHEMA.field("best5").type == pa.list_(pa.int16(), 5)
    assert examples.SCHEMA.field("predicted").type == pa.int16()
