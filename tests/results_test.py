"""What has been measured survives kills, and counts once."""

import dataclasses
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import pytest

from biases_jax import journal, results, tiling

IDENTITY = {
    "weights_sha256": "a1",
    "benchmark_repr": "Benchmark(name='natural/imagenet')",
    "revision": 1,
    "source_sha256": "b2",
    "preprocessing": "pil_bilinear_256_224",
    "seed": 0,
    "precision": "float32",
}
RUN = {"process_index": 0, "device_kind": "cpu"}


def header(n=10, model="m", benchmark="natural/imagenet", **changes):
    identity = IDENTITY | changes
    mark = results.fingerprint(**identity)
    return results.CellHeader(model, benchmark, mark, n, identity)


def block(cell, first, last, top1=0, order="o", **sums):
    sums = {"count": last - first, "top1": top1, "nonfinite": 0} | sums
    cost = {"seconds": 0.5, "decodes": 1, "forwards": last - first, "gradients": 0}
    return results.Block(cell.fingerprint, order, first, last, sums, cost, "r.parquet")


def store(folder, **run):
    return results.ResultsStore(folder, RUN | run)


def test_a_cell_is_published_once_its_blocks_tile_the_source(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 4, top1=3)])
    assert writer.rows() == []
    assert writer.missing(cell, "o") == [(4, 10)]
    [problem] = writer.incomplete()
    assert (problem.n_seen, problem.state) == (4, "partial")
    assert "[4, 10)" in problem.reason
    writer.append([cell], [block(cell, 4, 10, top1=2)])
    assert writer.missing(cell, "o") == [] == writer.incomplete()
    [row] = writer.rows()
    assert row.sums == {"count": 10, "nonfinite": 0, "top1": 5}
    assert row.cost["seconds"] == 1.0 and row.n_seen == 10
    assert row.provenance == cell.provenance
    assert row.runs == ({"run_id": writer.name} | RUN,)
    assert results.read(tmp_path).rows() == [row]


def test_a_file_has_one_run_line_and_each_header_once(tmp_path):
    writer = store(tmp_path)
    assert list(tmp_path.iterdir()) == []  # nothing measured, nothing written
    cell = header()
    for first in (0, 5):
        writer.append([cell, cell], [block(cell, first, first + 5)])
    [path] = tmp_path.iterdir()
    assert path.stem == writer.name
    kinds = [json.loads(line)["kind"] for line in path.read_text().splitlines()]
    assert kinds == ["run", "cell", "block", "block"]


def test_two_models_of_equal_weights_each_get_their_row(tmp_path):
    cells = [header(model="a"), header(model="b")]
    writer = store(tmp_path)
    writer.append(cells, [block(cells[0], 0, 10, top1=7)])
    rows = results.read(tmp_path).rows()
    assert [(row.model, row.sums["top1"]) for row in rows] == [("a", 7), ("b", 7)]


@pytest.mark.parametrize("kept", [1, 20, -1])
def test_a_torn_last_line_and_an_empty_file_are_tolerated(tmp_path, kept):
    cell = header()
    store(tmp_path).append([cell], [block(cell, 0, 4), block(cell, 4, 10)])
    [path] = tmp_path.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:-1][:kept])
    (tmp_path / "20200101T000000_00000_00000000.jsonl").touch()
    resumed = store(tmp_path)
    assert resumed.missing(cell, "o") == [(4, 10)]
    resumed.append([cell], [block(cell, 4, 10)])
    assert len(resumed.rows()) == 1 == len(results.read(tmp_path).rows())


@pytest.mark.parametrize("line", ['{"kind": "blo', "{}", '{"kind": "x"}', "3"])
def test_a_broken_line_in_the_middle_is_an_error_with_its_place(tmp_path, line):
    cell = header()
    store(tmp_path).append([cell], [block(cell, 0, 10)])
    [path] = tmp_path.iterdir()
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[2:]]) + "\n")
    with pytest.raises(ValueError, match=f"{path.name}, line 3"):
        results.read(tmp_path)


def test_a_folder_that_does_not_exist_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        results.read(tmp_path / "nowhere")


def test_files_of_other_processes_and_folders_are_merged(tmp_path):
    cell = header()
    first, second = store(tmp_path / "a"), store(tmp_path / "a", process_index=1)
    elsewhere = store(tmp_path / "b")
    first.append([cell], [block(cell, 0, 3)])
    second.append([cell], [block(cell, 3, 6)])
    assert first.missing(cell, "o") == [(6, 10)]  # it sees what others wrote since
    elsewhere.append([cell], [block(cell, 6, 10)])
    assert results.read(tmp_path / "a").rows() == []
    [row] = results.read([tmp_path / "a", tmp_path / "b"]).rows()
    names = {first.name, second.name, elsewhere.name}
    assert {run["run_id"] for run in row.runs} == names
    assert f"_{1:05d}_" in second.name


def test_blocks_of_another_order_never_tile_together(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 5, order="p"), block(cell, 5, 10)])
    assert writer.rows() == []
    assert writer.missing(cell, "o") == [(0, 5)]
    assert writer.missing(cell, "p") == [(5, 10)]
    writer.append([cell], [block(cell, 0, 5, top1=5)])
    [row] = writer.rows()
    assert row.sums["top1"] == 5 and {b.order for b in row.blocks} == {"o"}


def test_of_equal_blocks_the_newest_counts_and_a_conflict_is_listed(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 10, top1=4)])
    writer.append([cell], [block(cell, 0, 10, top1=4)])
    assert writer.conflicts() == []
    writer.append([cell], [block(cell, 0, 10, top1=5)])
    assert writer.rows()[0].sums["top1"] == 5
    assert {p.reason for p in writer.conflicts()} == {"examples [0, 10): top1 4 -> 5"}
    assert results.read(tmp_path).rows() == writer.rows()


def test_an_uncounted_image_refuses_the_row_until_it_is_measured_again(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 5), block(cell, 5, 10, count=4)])
    assert writer.rows() == [] == writer.incomplete()
    [problem] = writer.refused()
    assert problem.n_seen == 9 and "9 of 10 examples" in problem.reason
    assert writer.missing(cell, "o") == [(5, 10)]
    writer.append([cell], [block(cell, 5, 10)])
    assert len(writer.rows()) == 1 and writer.refused() == []
    assert writer.conflicts() == []


def test_a_row_with_nonfinite_logits_is_refused_and_not_measured_again(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 10, nonfinite=2)])
    assert writer.rows() == [] == writer.missing(cell, "o")
    assert "2 examples have a NaN" in writer.refused()[0].reason


def test_blocks_with_different_sums_are_refused(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 5), block(cell, 5, 10, top5=1)])
    assert "top5" in writer.refused()[0].reason


def test_an_older_fingerprint_is_history_unless_asked_for(tmp_path):
    old, new = header(seed=0), header(seed=1)
    store(tmp_path).append([old], [block(old, 0, 10, top1=1)])
    writer = store(tmp_path)
    writer.append([new], [block(new, 0, 4)])
    assert writer.rows() == []
    assert [p.fingerprint for p in writer.incomplete()] == [new.fingerprint]
    [row] = writer.rows([old.fingerprint])
    assert row.sums["top1"] == 1
    assert writer.rows([]) == []


def test_a_block_without_its_header_is_refused(tmp_path):
    with pytest.raises(ValueError, match="headers"):
        store(tmp_path).append([], [block(header(), 0, 10)])


def test_a_source_with_examples_twice_publishes_nothing(tmp_path):
    cell = header()
    twice = dataclasses.replace(cell, provenance={**cell.provenance, "n_unique": 9})
    writer = store(tmp_path)
    writer.append([twice], [block(twice, 0, 10)])
    assert writer.rows() == []
    [problem] = writer.refused()
    assert "9 of 10" in problem.reason


def test_blocks_are_synced_before_append_returns(tmp_path, monkeypatch):
    synced = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), fsync(fd)))
    cell, writer = header(), store(tmp_path)
    writer.append([cell], [block(cell, 0, 5)])
    assert len(synced) == 2  # the folder that lists the new file, and the file
    writer.append([cell], [block(cell, 5, 10)])
    assert len(synced) == 3


def test_only_what_is_new_is_read(tmp_path, monkeypatch):
    first, second = store(tmp_path), store(tmp_path, process_index=1)
    cell = header()
    first.append([cell], [block(cell, 0, 2)])
    assert second.missing(cell, "o") == [(2, 10)]
    lines = []
    add = journal.Journal.add
    monkeypatch.setattr(
        journal.Journal, "add", lambda *a: (lines.append(a[2]), add(*a))
    )
    first.append([cell], [block(cell, 2, 4)])
    first.append([cell], [block(cell, 4, 6)])
    assert second.missing(cell, "o") == [(6, 10)]
    assert lines == [4, 5]  # after the lines run, cell and block
    second.append([cell], [block(cell, 6, 10)])
    assert len(second.rows()) == 1
    assert len(lines) == 5


def test_a_line_that_another_process_is_writing_is_read_when_it_is_whole(tmp_path):
    cell = header()
    store(tmp_path).append([cell], [block(cell, 0, 2), block(cell, 2, 4)])
    [path] = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    reader = store(tmp_path)
    assert reader.missing(cell, "o") == [(2, 10)]
    path.write_bytes(whole)
    assert reader.missing(cell, "o") == [(4, 10)]
    path.unlink()
    assert reader.missing(cell, "o") == [(0, 10)]


def test_a_claimed_cell_counts_whatever_was_measured(tmp_path):
    old, new = header(seed=1), header(seed=2)
    first = store(tmp_path)
    first.append([old], [block(old, 0, 10)])
    assert [row.fingerprint for row in first.rows()] == [old.fingerprint]
    first.claim([new])
    assert first.rows() == []
    assert [p.fingerprint for p in first.incomplete()] == [new.fingerprint]
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    first.claim([new])  # it is the newest already
    assert size == sum(path.stat().st_size for path in tmp_path.iterdir())
    again = store(tmp_path)
    again.claim([old])
    assert [row.fingerprint for row in again.rows()] == [old.fingerprint]


def test_a_claim_counts_even_where_another_clock_is_ahead(tmp_path):
    old, new = header(seed=1), header(seed=2)
    first = store(tmp_path)
    first.append([old], [block(old, 0, 10)])
    [path] = tmp_path.iterdir()
    path.rename(tmp_path / f"29991231T235959_999999{path.name[22:]}")
    second = store(tmp_path)
    second.claim([new])
    second.append([new], [block(new, 0, 10, top1=3)])
    assert [row.fingerprint for row in second.rows()] == [new.fingerprint]
    third = store(tmp_path)
    third.claim([new])
    assert len(list(tmp_path.iterdir())) == 2


def test_a_header_cannot_change_its_number_of_examples(tmp_path):
    store(tmp_path).append([header(10)], [block(header(10), 0, 5)])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="expects 10"):
        store(tmp_path).append([header(11)], [block(header(11), 5, 11)])
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("first, last", [(-1, 3), (4, 4), (5, 2)])
def test_a_block_is_a_run_of_examples(first, last):
    with pytest.raises(ValueError, match="0 <= first < last"):
        block(header(), first, last)


def test_the_fingerprint_changes_with_every_field_and_with_nothing_else():
    original = results.fingerprint(**IDENTITY)
    assert original == results.fingerprint(**dict(reversed(IDENTITY.items())))
    for name, value in IDENTITY.items():
        other = value + 1 if isinstance(value, int) else value + "x"
        assert results.fingerprint(**IDENTITY | {name: other}) != original
    with pytest.raises(TypeError):
        results.fingerprint(**IDENTITY, batch_size=3)


def test_the_fingerprint_refuses_an_address():
    with pytest.raises(ValueError, match="frozen dataclasses"):
        results.fingerprint(**IDENTITY | {"benchmark_repr": "<f at 0x7f00>"})


def test_float_sums_do_not_depend_on_the_order_of_blocks(tmp_path):
    cell = header(4)
    parts = [block(cell, i, i + 1, loss=x) for i, x in enumerate([1e16, 1.0, -1e16, 1])]
    totals = set()
    for i, order in enumerate(itertools.permutations(parts)):
        writer = store(tmp_path / str(i))
        writer.append([cell], list(order))
        totals.add(writer.rows()[0].sums["loss"])
    assert totals == {2.0}


@dataclasses.dataclass(frozen=True)
class Span:
    first: int
    last: int


def spans(*pairs):
    return [Span(*pair) for pair in pairs]


@pytest.mark.parametrize(
    "given, chosen",
    [
        ([], []),
        ([(0, 4), (4, 8)], [(0, 4), (4, 8)]),
        ([(0, 4), (2, 6), (4, 8)], [(0, 4), (4, 8)]),  # partial overlap
        ([(0, 3), (2, 8)], [(2, 8)]),  # covers more than the first
        ([(0, 8), (0, 4), (4, 8)], [(0, 8)]),  # fewer of equal coverage
        ([(0, 5), (1, 6)], [(0, 5)]),
    ],
)
def test_a_cover_is_disjoint_and_as_large_as_can_be(given, chosen):
    for order in itertools.permutations(given):
        assert tiling.cover(spans(*order)) == spans(*chosen)


def test_a_cover_beats_every_other_choice_of_disjoint_intervals():
    every = [(a, b) for a in range(6) for b in range(a + 1, 7) if (a * 5 + b) % 4]
    for given in itertools.combinations(every, 4):
        best = max(
            sum(b - a for a, b in subset)
            for size in range(5)
            for subset in itertools.combinations(sorted(given), size)
            if all(x[1] <= y[0] for x, y in itertools.pairwise(subset))
        )
        assert tiling.covered(tiling.cover(spans(*given))) == best


def test_gaps_are_what_is_left_open():
    assert tiling.gaps(spans((2, 3), (5, 7)), 9) == [(0, 2), (3, 5), (7, 9)]
    assert tiling.gaps([], 3) == [(0, 3)]
    assert tiling.gaps([], 0) == [] == tiling.gaps(spans((0, 4)), 4)


def test_a_nan_sum_survives_the_file(tmp_path):
    cell = header()
    writer = store(tmp_path)
    writer.append([cell], [block(cell, 0, 10, loss=math.nan)])
    assert math.isnan(results.read(tmp_path).rows()[0].sums["loss"])


def test_a_run_that_is_killed_leaves_whole_blocks_and_is_finished_by_the_next(tmp_path):
    n = 100_000
    cell = header(n)
    code = (
        f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
        "from results_test import *\n"
        f"cell, writer = header({n}), store({str(tmp_path)!r})\n"
        f"for i in range({n}): writer.append([cell], [block(cell, i, i + 1)])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    while not any(path.stat().st_size > 5000 for path in tmp_path.iterdir()):
        time.sleep(0.01)
        assert process.poll() is None
    process.kill()
    process.wait()
    writer = store(tmp_path)
    [(first, last)] = writer.missing(cell, "o")
    assert 0 < first < last == n
    writer.append([cell], [block(cell, first, last)])
    [row] = writer.rows()
    assert row.sums["count"] == n and row.blocks[-1].first == first
