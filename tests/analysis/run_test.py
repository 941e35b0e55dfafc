"""The analysis runs alone, on results of any number of folders."""

import pathlib
import subprocess
import sys

from analysis import synthetic
from humans import study


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


def analysed(workdir, *more):
    return subprocess.run(
        [sys.executable, "-m", "biases_jax.analysis", f"--out={workdir / 'report'}"]
        + [f"--results={workdir / 'results'}", *more],
        capture_output=True,
        text=True,
    )


def test_models_are_set_beside_people_where_their_trials_are_named(tmp_path):
    study.measure(tmp_path, "a", "edge")
    study.show(tmp_path / "data", "edge")
    done = analysed(tmp_path, f"--humans={tmp_path / 'data'}")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    # Single trials are too many to be listed.
    assert str(tmp_path / "report/trials/files.csv") in lines
    assert not any(line.endswith("session-1.csv") for line in lines)
    assert "Error consistency with people" in pathlib.Path(lines[-1]).read_text()


def test_a_folder_without_trials_of_people_is_refused(tmp_path):
    study.measure(tmp_path, "a", "edge")
    done = analysed(tmp_path, f"--humans={tmp_path / 'empty'}")
    assert done.returncode not in (0, 3) and "Traceback" not in done.stderr
    assert f"got no trials of people in {tmp_path / 'empty'}" in done.stderr
