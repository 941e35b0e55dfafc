"""The analysis runs alone, on results of any number of folders."""

import subprocess
import sys

from analysis import synthetic


def test_the_command_prints_the_paths_and_the_page_last(tmp_path):
    synthetic.fill(tmp_path / "one" / "results", models=("a",))
    synthetic.fill(tmp_path / "two" / "results", models=("b",))
    folders = f"{tmp_path}/one/results,{tmp_path}/two/results"
    out = tmp_path / "report"
    done = subprocess.run(
        [sys.executable, "-m", "biases_jax.analysis", f"--results={folders}"]
        + [f"--out={out}"],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = done.stdout.splitlines()
    assert lines[-1] == str(out / "index.html")
    assert str(out / "wide.csv") in lines
    wide = (out / "wide.csv").read_text().splitlines()
    assert [line.partition(",")[0] for line in wide] == ["model", "a", "b"]
