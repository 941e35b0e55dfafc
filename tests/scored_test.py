"""Are the examples that count told from the others, by records and labels alone?

What a score says while it measures is the reference.
"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import benchmarks, examples, labels, results, scored
from biases_jax.sources import manifest
from biases_jax.stages import compare, sides

N = 60
PARTIAL = (
    "natural/imagenet_clean_a",
    "natural/imagenet_clean_a/full1000",
    "natural/imagenet_clean_r",
    "natural/imagenet_clean_r/full1000",
    "natural/imagenet_real",
    "shape/cue_conflict",
    "shape/own/mine/sum",  # of a set that is not listed
)
NAMES = tuple(f"ILSVRC2012_val_{number:08d}.JPEG" for number in range(1, N + 1))


def truth(space):
    """Return labels [n, k] of which some are not scored by any of the benchmarks."""
    generator = np.random.default_rng(0)
    if space == "imagenet":
        classes = np.concatenate([labels.IMAGENET_A, labels.IMAGENET_R, range(1000)])
        return generator.choice(classes, (N, 1)).astype(np.int32)
    if space == "shape_texture":
        pairs = generator.integers(0, 16, (N, 2)).astype(np.int32)
        pairs[::4, 1] = pairs[::4, 0]
        return pairs
    values = generator.integers(0, 1000, (N, 3)).astype(np.int32)
    values[:, 1:][generator.random((N, 2)) < 0.5] = -1
    values[::4] = -1
    return values


def measure(workdir, name, seed=0, kept=True, **changes):
    """Measure random logits, right half of the time; return what the score said."""
    benchmark = benchmarks.get(name)
    space = benchmark.score.label
    values = truth(space)
    generator = np.random.default_rng(seed)
    logits = generator.normal(size=(N, 1000)).astype(np.float32)
    helped = generator.random(N) < 0.5
    logits[helped, np.maximum(values[helped, 0], 0)] += 9
    judge = jax.vmap(benchmark.score)
    sums, record = jax.tree.map(np.asarray, judge(jnp.asarray(logits), values))
    ids = labels.example_ids(NAMES)
    provenance = {
        "benchmark_repr": repr(benchmark),
        "source_sha256": "sum of labels",
        "source": benchmark.source,
        "label_space": space,
        "precision": "float32",
        **changes,
    }
    store = results.ResultsStore(workdir / "results", {"device_kind": "cpu"})
    mark = f"{workdir.name}-{name}"
    header = results.CellHeader("m", name, mark, N, provenance)
    part = examples.Part("m", name, mark, 0, ids, record)
    file = examples.write(workdir / "records", f"{store.name}-m", [part])
    total = {key: int(value.sum()) for key, value in sums.items()}
    order = labels.order_sha256(labels.packed_ids(ids))
    store.append([header], [results.Block(mark, order, 0, N, total, {}, file)])
    if kept and space != "real":
        metadata = {"sha256": json.dumps({space: "sum of labels"})}
        path = manifest.manifest_path(workdir / "sources", benchmark.source)
        back = slice(None, None, -1)  # no order is promised
        manifest.write(path, NAMES[back], {space: values[back]}, metadata)
    return sums, record


def ask(workdir):
    (row,) = results.read(workdir / "results").rows()
    records = examples.load(workdir / "records", row)
    return scored.scored(row, records, workdir / "sources"), records


@pytest.mark.parametrize("name", PARTIAL)
def test_each_score_tells_afterwards_what_it_told_while_measuring(tmp_path, name):
    sums, _ = measure(tmp_path, name)
    found, records = ask(tmp_path)
    by_id = dict(
        zip(labels.packed_ids(labels.example_ids(NAMES)), sums["scored"], strict=True)
    )
    expected = [by_id[one] for one in records["id"].to_numpy()]
    assert 0 < sum(expected) < N
    np.testing.assert_array_equal(found, np.array(expected, bool))


@pytest.mark.parametrize("name", PARTIAL)
def test_a_comparison_is_of_the_scored_examples_only(tmp_path, name, capsys):
    one, first = measure(tmp_path / "a", name, seed=1)
    other, second = measure(tmp_path / "b", name, seed=2)
    n = one["scored"].sum()
    folders = [str(tmp_path / "a"), str(tmp_path / "b")]
    (found,) = compare.compare(*sides.parse(folders, "unused"))
    assert (found.n, found.unscored, found.alone) == (n, N - n, 0)
    # Both accuracies are those of the rows themselves. 1e-9: a few divisions.
    difference = 100 * (other["top1"].sum() - one["top1"].sum()) / n
    assert found.difference.value == pytest.approx(difference, abs=1e-9)
    judged = one["scored"] == 1
    flips = (first.correct != second.correct)[judged].mean()
    assert found.flip_rate == pytest.approx(flips, abs=1e-12) and flips > 0
    changed = (first.predicted != second.predicted)[judged].sum()
    assert found.changed == changed < (first.predicted != second.predicted).sum()
    assert f"{name}: {N - n} examples are not scored" in capsys.readouterr().out


def test_all_examples_count_where_the_score_says_nothing_of_it(tmp_path):
    measure(tmp_path, "natural/imagenet", kept=False)
    assert ask(tmp_path)[0].all()


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"kept": False}, "got no .*imagenet.parquet, expected the labels there"),
        ({"source_sha256": "other"}, "got other examples or labels 'imagenet'"),
        ({"benchmark_repr": "Benchmark(score=Odd())"}, "that this version has"),
    ],
)
def test_what_cannot_be_told_is_an_error(tmp_path, changes, said):
    measure(tmp_path, "natural/imagenet_clean_a", **changes)
    with pytest.raises(ValueError, match=said):
        ask(tmp_path)


def test_a_count_that_differs_from_the_rows_own_is_an_error(tmp_path):
    measure(tmp_path, "natural/imagenet_real")
    (row,) = results.read(tmp_path / "results").rows()
    records = examples.load(tmp_path / "records", row)
    row.sums["scored"] += 1
    with pytest.raises(ValueError, match="scored examples by the records, expected"):
        scored.scored(row, records, tmp_path / "sources")
