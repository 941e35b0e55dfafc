"""Two measurements of the same examples are compared example by example."""

import pytest
from stages.answered import BENCHMARK, measure

from biases_jax.stages import compare, sides


def run_folders(a, b):
    return sides.parse([str(a), str(b)], "unused")


def test_flips_of_both_directions_are_counted_on_joined_ids(tmp_path):
    a = measure(tmp_path / "a", [1, 1, 1, 0, 0, 0], ids=[5, 3, 1, 0, 2, 4])
    b = measure(
        tmp_path / "b", [0, 1, 1, 1, 1, 0], predicted=[3, 2, 4, 9, 1, 5], ids=range(6)
    )
    # By id, first: 0 1 0 1 0 1, second: 0 1 1 1 1 0.
    # Classes, first: 3 2 4 1 5 0, second: 3 2 4 9 1 5.
    [found] = compare.compare(*run_folders(a, b))
    assert (found.n, found.lost, found.gained, found.changed) == (6, 1, 2, 3)
    assert found.flip_rate == 0.5 and found.p == 1.0 and found.alone == 0
    # 1e-9: one division.
    assert found.difference.value == pytest.approx(100 / 6, abs=1e-9)


def test_the_printed_table_has_the_counts_and_mcnemar(tmp_path, capsys):
    a = measure(tmp_path / "a", [1] * 10)
    b = measure(tmp_path / "b", [0] * 6 + [1] * 4)
    compare.compare(*run_folders(a, b))
    printed = capsys.readouterr().out
    row = printed.splitlines()[1].split()
    assert row[:8] == ["m", BENCHMARK, "10", "6", "0", "60.000%", "0", "0.0312"]
    assert row[8] == "-60.000" and "mixed" not in printed


def test_two_models_of_one_run_are_compared(tmp_path):
    measure(tmp_path, [1, 1, 0, 0], models=("first",))
    measure(tmp_path, [1, 0, 0, 0], models=("second",))
    [found] = compare.compare(*sides.parse(["first", "second"], tmp_path))
    assert found.models == ("first", "second")
    assert (found.lost, found.gained) == (1, 0)


@pytest.mark.parametrize(
    "name, value",
    [
        ("precision", "bfloat16"),
        ("seed", 7),
        ("preprocessing", "pil_bilinear_256_224"),
        ("benchmark_repr", "Benchmark(revision=2)"),
        ("device_kind", "TPU v5e"),
    ],
)
def test_mixed_numerics_are_refused_by_name_unless_allowed(
    tmp_path, capsys, name, value
):
    a = measure(tmp_path / "a", [1, 1, 0, 0])
    b = measure(tmp_path / "b", [1, 0, 0, 0], **{name: value})
    with pytest.raises(ValueError, match=f"another {name} .*{name} .* / ") as error:
        compare.compare(*run_folders(a, b))
    assert "--allow_mixed_numerics" in str(error.value)
    [found] = compare.compare(*run_folders(a, b), allow_mixed_numerics=True)
    assert found.flip_rate == 0.25
    printed = capsys.readouterr().out
    assert f"mixed numerics: {name}" in printed and "25.000%" in printed


def test_other_weights_are_no_mixed_numerics(tmp_path):
    a = measure(tmp_path / "a", [1, 0], weights_sha256="x")
    b = measure(tmp_path / "b", [1, 0], weights_sha256="y")
    [found] = compare.compare(*run_folders(a, b))
    assert found.flip_rate == 0


def test_examples_of_one_side_only_are_told(tmp_path, capsys):
    a = measure(tmp_path / "a", [1, 1, 0], ids=[0, 1, 2])
    b = measure(tmp_path / "b", [1, 0], ids=[1, 9])
    [found] = compare.compare(*run_folders(a, b))
    assert (found.n, found.alone) == (1, 3)
    assert "3 examples unpaired" in capsys.readouterr().out


def test_what_cannot_be_compared_is_an_error(tmp_path):
    a = measure(tmp_path / "a", [1, 0], ids=[0, 1])
    other = measure(tmp_path / "b", [1, 0], ids=[2, 3])
    with pytest.raises(ValueError, match="share no scored example"):
        compare.compare(*run_folders(a, other))
    with pytest.raises(ValueError, match="no complete cell in common"):
        compare.compare(*run_folders(a, measure(tmp_path / "c", [1], models=("x",))))
    with pytest.raises(ValueError, match="got 'y', expected a run folder or a model"):
        compare.compare(*sides.parse(["m", "y"], a))
    with pytest.raises(ValueError, match="expected two run folders"):
        sides.parse(["m"], a)
    several = measure(tmp_path / "d", [1, 0], models=("x", "m"))
    with pytest.raises(ValueError, match="one model against .* with m, x"):
        compare.compare(*sides.parse([str(several), "m"], a))
