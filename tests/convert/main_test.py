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
    assert [line.split()[0] for line in lines[:3]] == ["model", "good", "bad"]
    assert [line.split()[-1] for line in lines[1:3]] == ["converted", "failed"]
    assert checkpoints.read_manifest(out / "good")["width"] == 4
    result = call(f"--models=good={good}", f"--out={out}", *rules)
    assert result.returncode == 0
    assert "failed" not in result.stderr
    assert result.stdout.splitlines()[1].endswith("unchanged")


def test_a_layout_is_named_on_the_command_line(tmp_path, state):
    both = {"state_dict": state, "model": {k: v + 1 for k, v in state.items()}}
    torch.save(both, tmp_path / "both.pth")
    out = tmp_path / "out"
    result = call(f"--models=mine={tmp_path}/both.pth", f"--out={out}")
    assert result.returncode == 3
    assert "several networks, at 'state_dict' and 'model'" in result.stderr
    model = f"--models=mine=diffusionnoise_namespace:{tmp_path}/both.pth"
    assert call(model, f"--out={out}").returncode == 0
    assert checkpoints.read_manifest(out / "mine")["layout"] == (
        "diffusionnoise_namespace"
    )


def test_offline_a_published_model_that_is_not_there_fails_with_advice(tmp_path):
    folders = (f"--out={tmp_path}/out", f"--weights_dir={tmp_path}")
    result = call("--models=resnet50_dino", "--offline", *folders)
    assert result.returncode == 3
    for text in ("resnet50_dino (backbone): got none of", "--offline", "in a browser"):
        assert text in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--models=tv_resnet50",),
        ("--models=unknown", "--out=x"),
        ("--models=tv_resnet50", "--out=x", "--drop=aux"),
        ("--models=a=b", "--out=x", "--drop=("),
        ("--models=a=b", "--out=x", r"--rename=a=>\g<x>"),
        ("--models=tv_resnet50=prime_flat:file.pth", "--out=x"),
        ("--models=a=prime_flat:file.pth", "--out=x", "--root=net"),
        ("--models=a=b", "--out=x", "--jobs=-1"),
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
