"""What is complete is told apart from what is not."""

from biases_jax import results
from biases_jax.stages import status


def fill(folder, cells):
    """Write cells (model, benchmark, last of 10, top1, nonfinite) as one run."""
    store = results.ResultsStore(folder, {"device_kind": "cpu"})
    for i, (model, benchmark, last, top1, bad) in enumerate(cells):
        header = results.CellHeader(model, benchmark, f"f{i}", 10, {})
        sums = {"count": last, "top1": top1, "nonfinite": bad}
        store.append([header], [results.Block(f"f{i}", "o", 0, last, sums, {})])


def test_complete_cells_are_counted_and_the_code_is_0(tmp_path, capsys):
    fill(
        tmp_path,
        [
            ("a", "natural/imagenet", 10, 3, 0),
            ("a", "spectral/low_pass/0.1", 10, 3, 0),
            ("a", "spectral/low_pass/0.2", 10, 3, 0),
        ],
    )
    assert status.status(tmp_path) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["model", "family", "complete", "partial", "refused"],
        ["a", "natural", "1", "0", "0"],
        ["a", "spectral", "2", "0", "0"],
    ]


def test_partial_and_refused_cells_are_listed_and_the_code_is_3(tmp_path, capsys):
    fill(
        tmp_path,
        [("a", "natural/imagenet", 4, 3, 0), ("b", "natural/imagenet", 10, 3, 1)],
    )
    assert status.status(tmp_path) == 3
    printed = capsys.readouterr().out
    assert "partial: a on natural/imagenet: 4 of 10; examples [4, 10)" in printed
    assert "refused: b on natural/imagenet: 10 of 10; 1 examples have a NaN" in printed


def test_a_conflict_is_told_but_all_is_complete(tmp_path, capsys):
    header = results.CellHeader("a", "natural/imagenet", "f", 10, {})
    for top1 in (3, 4):
        store = results.ResultsStore(tmp_path, {})
        sums = {"count": 10, "top1": top1}
        store.append([header], [results.Block("f", "o", 0, 10, sums, {})])
    assert status.status(tmp_path) == 0
    assert "examples [0, 10): top1 3 -> 4" in capsys.readouterr().out


def test_nothing_measured_is_incomplete(tmp_path, capsys):
    assert status.status(tmp_path) == 3
    assert status.status(tmp_path / "nowhere") == 3
    assert "nothing is measured yet" in capsys.readouterr().out
