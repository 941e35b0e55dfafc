"""Is what the README says true?"""

import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax import benchmarks
from biases_jax.types import Cell

ROOT = pathlib.Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text()
# Ours have underscores; those with hyphens are other programs' (pip --no-deps).
FLAGS = sorted(set(re.findall(r"--([a-z_]+(?:\.[a-z_]+)?)(?![\w-])", TEXT)))
FILES = [*ROOT.glob("[bc]*/**/*.py"), *ROOT.glob("tests/[ds]*/*.py")]
CODE = "\n".join(path.read_text() for path in FILES)


def test_the_two_commands_come_first_and_ci_runs_the_second():
    commands = TEXT.split("```sh\n")[1].split("```")[0].splitlines()
    stripped = [line.split("#")[0].strip() for line in commands]
    assert stripped == [
        "pip install -e . && python main.py --config=configs/demo.py",
        "pip install -e '.[test]' && pytest",
    ]
    ci = (ROOT / ".ci/run").read_text()
    assert "pip install --quiet -e '.[test]'" in ci
    assert ci.rstrip().endswith("\npytest")


def test_nothing_is_left_to_be_filled_in():
    assert not re.search(r"PLACEHOLDER|TODO|XXX|\bTBD\b", TEXT)


@pytest.mark.parametrize("flag", FLAGS)
def test_flags_exist(flag):
    name = flag.removeprefix("config.")
    if name != flag:
        assert re.search(rf"^    {name}: ", CODE, re.M)
    else:
        defined = rf'(DEFINE_\w+\(\s*"|add_argument\("--){name}"'
        assert re.search(defined, CODE)


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"\b(?:configs|tests|biases_jax)/[\w/]+\.py", TEXT)))
)
def test_files_exist(path):
    assert (ROOT / path).is_file()


def test_the_recipe_of_a_benchmark_works_as_it_stands(tmp_path, monkeypatch):
    code = TEXT.split("```python\n")[1].split("```")[0]
    (tmp_path / "darker.py").write_text(code)
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    found = benchmarks.select(("darker/*",))
    assert [b.name for b in found] == ["darker/0.25", "darker/0.5"]
    image = jnp.full((8, 8, 3), 0.5)
    np.testing.assert_allclose(found[0].transform(jax.random.key(0), image), 0.125)
    cells = {b.name: Cell({"top1": 3, "count": 4}, lambda: None) for b in found}
    values = benchmarks.families()["darker"].summarize(cells)
    assert values["darker/0.5/top1"].value == 75


def test_the_recipe_of_a_corruption_works_as_it_stands(tmp_path, monkeypatch):
    code = TEXT.split("```python\n")[2].split("```")[0]
    (tmp_path / "vignette.py").write_text(code)
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    found = benchmarks.select(("vignette/*",))
    assert [b.name for b in found] == [f"vignette/corners/{s}" for s in range(1, 6)]
    image = jnp.full((48, 48, 3), 0.8)
    mild, strong = (found[s].transform(jax.random.key(0), image) for s in (0, 4))
    assert strong[0, 0].max() < mild[0, 0].min() < 0.8
    # Darker in the corners, and by the centre as it was, within what JPEG changes.
    np.testing.assert_allclose(strong[24, 24], 0.8, atol=0.02)
    cells = {
        b.name: Cell({"top1": 3, "top5": 4, "count": 4}, lambda: None) for b in found
    }
    values = benchmarks.families()["vignette"].summarize(cells)
    assert values["vignette/corners/5/top1"].value == 75
