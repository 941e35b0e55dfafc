"""Does `python -m convert` do what its help says?"""

import os
import pathlib
import subprocess
import sys

import pytest
import torch

from biases_jax.models import checkpoints

ROOT = pathlib.Path(__file__).parents[2]


def call(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "convert", *arguments],
        cwd=ROOT,
        env={**os.environ, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
    )


def test_good_files_are_kept_when_others_fail(tmp_path, state):
    good, bad = tmp_path / "good.pth", tmp_path / "bad.pth"
    torch.save({"net": {f"x.{name}": value for name, value in state.items()}}, good)
    bad.write_text("<html>")
    out = tmp_path / "out"
    models = f"--models=good={good},bad={bad}"
    rules = ("--root=net", r"--rename=^x\.=>")
    result = call(models, f"--out={out}", *rules)
    assert result.returncode == 3
    assert "bad failed: " in result.stderr and "HTML" in result.stderr
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["model", "good", "bad"]
    assert [line.split()[-1] for line in lines[1:]] == ["converted", "failed"]
    assert checkpoints.read_manifest(out / "good")["width"] == 4
    result = call(f"--models=good={good}", f"--out={out}", *rules)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[1].endswith("unchanged")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--models=tv_resnet50",),
        ("--models=unknown", "--out=x"),
        ("--models=tv_resnet50", "--out=x", "--drop=aux"),
        ("--models=a=b", "--out=x", "--drop=("),
        ("--nonsense",),
    ],
)
def test_wrong_usage_exits_with_2(arguments):
    assert call(*arguments).returncode == 2


def test_nothing_of_it_imports_torch_or_tensorflow():
    modules = "convert.run, biases_jax.models.zoo, biases_jax.models.checkpoints"
    code = (
        f"import sys, convert, {modules}, convert.__main__\n"
        "assert not {'torch', 'tensorflow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
