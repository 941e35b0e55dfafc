"""Is it told how far corruptions made here are from the published files?"""

import re

import numpy as np
import pytest
from absl import app
from etils import epath
from stages import answered

from biases_jax import benchmarks, paired, results
from biases_jax.benchmark import Benchmark
from biases_jax.config import EvaluateConfig
from biases_jax.corruptions import summary
from biases_jax.model_cells import of
from biases_jax.processes import Process
from biases_jax.settings import DONE, INCOMPLETE, Settings
from biases_jax.stages import corruption_parity, driver
from biases_jax.stages.request import resolve

N = 200
MODEL = "tv_resnet50"
KNOWN = benchmarks.all_benchmarks()
FOG = [
    f"{family}/fog/{s}" for family in ("imagenet_c", "imagenet_c_jax") for s in (1, 2)
]


def request(workdir, *names, models=(MODEL,), **changes):
    config = EvaluateConfig(models=models, benchmarks=names, **changes)
    settings = Settings(config, ("corruption_parity",), epath.Path(workdir), Process())
    return resolve(settings)


def answer(workdir, name, right, models=(MODEL,), **changes):
    """Write the answers to the first `right` of the images, or to those named."""
    correct = np.arange(N) < right if isinstance(right, int) else right
    identity = {"benchmark_repr": repr(KNOWN[name]), "revision": KNOWN[name].revision}
    answered.measure(
        workdir, correct, models=models, benchmark=name, **identity | changes
    )


def pair(workdir, kind, ours, theirs, **changes):
    family, _, rest = kind.partition("/")
    answer(workdir, f"{family}_jax/{rest}", ours, **changes)
    answer(workdir, f"{family}/{rest}", theirs, **changes)


def printed(capsys):
    return capsys.readouterr().out


def fields(text, corruption):
    """Return the cells of the line of a corruption, with what is in brackets."""
    [line] = [x for x in text.splitlines() if re.match(rf"\w+_jax +{corruption} ", x)]
    return re.split(r" {2,}", line.strip())


def test_pairs_are_of_what_is_made_here_and_published():
    chosen = KNOWN.values()
    found = corruption_parity.pairs(chosen)
    assert len(found) == len(set(found)) == 95 + 50
    assert ("imagenet_c_jax/frost/1", "imagenet_c/frost/1") in found
    assert all(a.replace("_jax", "") == b for a, b in found)
    kept = [b for b in chosen if b.name != "imagenet_c/fog/2"]
    assert len(corruption_parity.pairs(kept)) == 144
    others = [Benchmark(f"{b.family}/{i}", "imagenet") for i, b in enumerate(chosen)]
    assert corruption_parity.pairs(others) == []


def test_a_family_says_whose_files_it_is_like():
    for family, published in corruption_parity._published().items():
        assert family == f"{published}_jax" and published in benchmarks.families()


def test_the_table_has_gaps_intervals_and_marks(tmp_path, capsys):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100)  # gained 20
    ours, theirs = np.arange(N) < 100, np.arange(N) >= 98
    pair(tmp_path, "imagenet_c/fog/2", ours, theirs)  # gained 98, lost 100
    assert corruption_parity.run(request(tmp_path, *FOG)) == DONE
    text = printed(capsys)
    far, near = paired.difference(0, 20, N), paired.difference(100, 98, N)
    assert fields(text, "fog") == [
        *("imagenet_c_jax", "fog", "200"),
        f"+10.00 [{far.low:+.2f}, {far.high:+.2f}]*",
        f"-1.00 [{near.low:+.2f}, {near.high:+.2f}]",
        *("-", "-", "-"),
    ]
    assert f"{MODEL}: images made here less the published files" in text
    assert "1 of 1 model(s): all 2 pairs compared by image" in text
    assert "measured on" not in text and "no interval" not in text


def test_the_verdict_counts_corrects_and_averages(tmp_path, capsys):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100)
    pair(tmp_path, "imagenet_c/fog/2", 103, 100)  # p = 2 / 2**3
    pair(tmp_path, "imagenet_cbar/sparkles/3", 100, 106)
    names = (*FOG, "imagenet_cbar*/sparkles/3")
    assert corruption_parity.run(request(tmp_path, *names)) == DONE
    c, bar, every = printed(capsys).splitlines()[4:7]
    assert c.startswith(
        "imagenet_c_jax less imagenet_c: 2 of 2 pairs compared, 1 of 2 intervals"
        " exclude 0 (0.1 would by chance), 1 differ after Holm's correction; mean gap"
        " +5.75 ["
    )
    assert "largest +10.00 [" in c and c.endswith("] in imagenet_c_jax/fog/1")
    assert bar.startswith("imagenet_cbar_jax less imagenet_cbar: 1 of 1 pairs")
    # One of one: its p, 2 / 2**6, is not corrected, and the mean is the only gap.
    lost = paired.difference(6, 0, N)
    number = f"-3.00 [{lost.low:+.2f}, {lost.high:+.2f}]"
    assert f"1 differ after Holm's correction; mean gap {number}, " in bar
    assert bar.endswith(f"largest {number} in imagenet_cbar_jax/sparkles/3")
    # As the second of three it is: 2 * 2 / 2**6 is no longer below 0.05.
    assert every.startswith("all of these less their counterparts: 3 of 3 pairs")
    assert "2 of 3 intervals" in every and "1 differ after" in every
    assert "mean gap +2.83 [" in every and "largest +10.00 [" in every


def test_the_report_has_the_stage_s_numbers(tmp_path, capsys):
    for severity in range(1, 6):
        pair(tmp_path, f"imagenet_c/fog/{severity}", 120 - 4 * severity, 105)
    corruption_parity.run(request(tmp_path, "imagenet_c*/fog/*"))
    text = printed(capsys)
    rows = results.read(tmp_path / "results").rows()
    cells = of(rows, tmp_path / "records", tmp_path / "sources")
    values = summary.gaps(cells, "imagenet_c_jax", "imagenet_c", ["fog"])
    numbers = [
        corruption_parity._number(v) for n, v in values.items() if n[-3:] == "gap"
    ]
    assert len(numbers) == 6 and all(number in text for number in numbers)
    assert f"mean gap {numbers[-1]}" in text


def test_what_lacks_is_told_in_one_line_and_incomplete(tmp_path, capsys):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100)
    answer(tmp_path, "imagenet_c_jax/fog/2", 100)
    answer(tmp_path, "imagenet_c/fog/3", 100)
    answer(tmp_path, "imagenet_c/snow/1", 100)
    names = ("imagenet_c*/fog/[1-5]", "imagenet_c*/snow/1")
    assert corruption_parity.run(request(tmp_path, *names)) == INCOMPLETE
    text = printed(capsys)
    assert (
        "measured on one side only: imagenet_c/snow (1), imagenet_c_jax/fog (2),"
        " imagenet_c/fog (3); measured on neither side: imagenet_c_jax/fog (4 5)\n"
    ) in text
    assert "1 of 6 pairs compared" in text
    assert fields(text, "fog")[4:] == ["-"] * 4
    assert "snow " not in text.split("measured on")[0]
    assert "0 of 1 model(s): all 6 pairs compared by image" in text


def test_one_model_of_two_is_incomplete(tmp_path, capsys):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100)
    models = (MODEL, "resnet50.a1_in1k")
    asked = request(tmp_path, "imagenet_c*/fog/1", models=models)
    assert corruption_parity.run(asked) == INCOMPLETE
    text = printed(capsys)
    assert "resnet50.a1_in1k: no pair is measured on both sides\n" in text
    assert "measured on neither side: imagenet_c_jax/fog (1)" in text
    assert "1 of 2 model(s): all 1 pairs compared by image" in text


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"ids": np.arange(N) + 1}, "the ids are not the same"),
        ({"records": False}, "no records"),
    ],
)
def test_cells_that_are_not_paired_have_no_interval_and_are_incomplete(
    tmp_path, capsys, changes, reason
):
    pair(tmp_path, "imagenet_c/fog/1", 101, 100)
    answer(tmp_path, "imagenet_c_jax/fog/2", 120)
    answer(tmp_path, "imagenet_c/fog/2", 100, **changes)
    assert corruption_parity.run(request(tmp_path, *FOG)) == INCOMPLETE
    text = printed(capsys)
    assert fields(text, "fog")[4] == "+10.00 [no interval]"
    assert f"no interval: {reason}: imagenet_c_jax/fog (2)\n" in text
    assert "2 of 2 pairs compared, 0 of 1 intervals" in text
    assert "mean gap +5.25 [no interval], largest +10.00 [no interval]" in text


@pytest.mark.parametrize("changes", [{"seed": 3}, {"precision": "bfloat16"}])
def test_rows_of_other_settings_do_not_count(tmp_path, capsys, changes):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100, **changes)
    names = ("imagenet_c*/fog/1",)
    assert corruption_parity.run(request(tmp_path, *names)) == INCOMPLETE
    assert "no pair is measured on both sides" in printed(capsys)
    assert corruption_parity.run(request(tmp_path, *names, **changes)) == DONE


def test_cells_of_two_weights_are_not_compared(tmp_path, capsys):
    answer(tmp_path, "imagenet_c_jax/fog/1", 120, weights_sha256="x")
    answer(tmp_path, "imagenet_c/fog/1", 100, weights_sha256="y")
    assert corruption_parity.run(request(tmp_path, "imagenet_c*/fog/1")) == INCOMPLETE
    text = printed(capsys)
    assert f"{MODEL}: cells of mixed weights_sha256: x, y" in text
    assert "fog" not in text


def test_what_was_not_asked_for_does_not_matter(tmp_path, capsys):
    pair(tmp_path, "imagenet_c/fog/1", 120, 100, weights_sha256="x")
    answer(tmp_path, "natural/imagenet", 150, weights_sha256="y")
    pair(tmp_path, "imagenet_c/snow/1", 120, 100, models=("another",))
    assert corruption_parity.run(request(tmp_path, "imagenet_c*/fog/1")) == DONE
    text = printed(capsys)
    assert "mixed" not in text and "snow" not in text and "another" not in text


def test_benchmarks_without_a_pair_are_a_usage_error(tmp_path):
    with pytest.raises(app.UsageError) as caught:
        driver.run(
            request(tmp_path, "imagenet_c/fog/1", "imagenet_c_jax/fog/2").settings
        )
    assert caught.value.exitcode == 2
    assert "got benchmarks imagenet_c/fog/1, imagenet_c_jax/fog/2" in str(caught.value)
    assert "('imagenet_c_jax/*','imagenet_c/*')" in str(caught.value)


def test_a_run_that_measured_nothing_is_incomplete(tmp_path, caplog):
    assert driver.run(request(tmp_path, *FOG).settings) == INCOMPLETE
    assert "stage corruption_parity failed" in caplog.text
