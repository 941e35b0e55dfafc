"""Does the stage compare, write and read archives, and say what it could not?"""

import dataclasses
import os
import subprocess
import sys

import numpy as np
import parity_inputs
import pytest
import torch
from absl import app
from etils import epath
from parity import faults
from safetensors.torch import save_file

from biases_jax.config import EvaluateConfig
from biases_jax.parity import (
    causes,
    comparison,
    images,
    reference,
    saved,
    subjects,
)
from biases_jax.processes import Process
from biases_jax.settings import DONE, INCOMPLETE, Parity, Settings
from biases_jax.stages import driver
from convert import torch_network

torch.set_num_threads(1)
EXACT = ("float64",)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs stages on two networks and three small images."""
    paths = []
    for seed in (0, 1):
        paths.append(tmp_path / f"{seed}.safetensors")
        save_file(parity_inputs.state_dict(seed), paths[-1])
    few = images.Images(("a", "b", "c"), parity_inputs.images(3, 64))
    monkeypatch.setattr(images, "default", lambda: few)

    def stages(*names, models=(0, 1), **changes):
        config = EvaluateConfig(models=tuple(f"m{i}={paths[i]}" for i in models))
        asked = Parity(**{"precisions": EXACT, **changes})
        workdir = epath.Path(tmp_path / "run")
        settings = Settings(config, names, workdir, Process(), parity=asked)
        return driver.run(settings)

    stages.workdir = tmp_path / "run"
    stages.paths = paths
    return stages


def test_two_models_agree_with_pytorch_and_say_so(run, capsys):
    assert run("convert", "parity", precisions=("float64", "float32")) == DONE
    output = capsys.readouterr().out
    assert "2 of 2 model(s) agree on 3 image(s)" in output
    assert "m0: agrees" in output and "yardstick" in output and "layer4_2" in output
    first, second = saved.read(run.workdir / "parity")
    assert (first["model"], second["model"]) == ("m0", "m1")
    assert first["agrees"] and first["verdict"] == causes.AGREES
    assert [row["yardstick"] for row in first["rows"]] == [False, False, False, True]
    assert first["about"]["reference"]["torch float64"]["file_read_by"] == "torch"
    assert first["images"]["names"] == ["a", "b", "c"]
    stages = first["rows"][0]["comparison"]["stages"]
    assert len(stages) == 22
    assert all(difference["relative"] < 1e-9 for difference in stages.values())


def test_a_fault_ends_with_3_and_its_name(run, capsys, monkeypatch):
    build = torch_network.resnet50

    def faulty(*sizes):
        network = build(*sizes)
        faults.batch_norm_epsilon(network)
        return network

    monkeypatch.setattr(torch_network, "resnet50", faulty)
    assert run("convert", "parity", models=(0,)) == INCOMPLETE
    output = capsys.readouterr().out
    assert f"m0: {causes.BATCH_NORM} (jax float64 / torch float64: logits" in output
    assert "0 of 1 model(s) agree" in output


def test_a_file_that_is_gone_costs_its_own_model_only(run, caplog, capsys):
    assert run("convert") == DONE
    run.paths[0].unlink()
    assert run("parity") == INCOMPLETE
    assert "m0 cannot be compared" in caplog.text and "is gone" in caplog.text
    assert "1 of 2 model(s) agree" in capsys.readouterr().out
    refused, compared = saved.read(run.workdir / "parity")
    assert (refused["model"], compared["model"]) == ("m0", "m1")
    assert not refused["agrees"] and "is gone" in refused["verdict"]


def test_a_model_that_fails_costs_itself_and_its_earlier_record(
    small, monkeypatch, caplog
):
    """XLA raises a RuntimeError where memory is short."""

    def fails(model, folder):
        if model.name == "a":
            raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")
        return subjects.Subject(model.name, "jax", "", (), "", None, {})

    def written(name):
        return comparison.Result(name, "1", "1", causes.AGREES)

    few = images.Images(("a",), parity_inputs.images(1, 32))
    archived = {n: reference.Reference(n, "", np.zeros(1, int), {}) for n in "ab"}
    monkeypatch.setattr(subjects, "of_jax", fails)
    monkeypatch.setattr(
        reference, "read", lambda path: reference.Archive(few, archived)
    )
    monkeypatch.setattr(comparison, "compare", lambda s, *_: written(s.name))
    saved.write(small.parity, written("a"), few)
    asked = Parity(reference="ref.npz")
    settings = dataclasses.replace(small.settings, stages=("parity",), parity=asked)
    assert driver.run(settings) == INCOMPLETE
    assert "a cannot be compared: RuntimeError: RESOURCE_EXHAUSTED" in caplog.text
    first, second = saved.read(small.parity)
    assert "RESOURCE_EXHAUSTED" in first["verdict"] and second["model"] == "b"
    # No cell is measured: the report shows what is known, and is not complete.
    settings = dataclasses.replace(small.settings, stages=("analyse",))
    assert driver.run(settings) == INCOMPLETE
    assert "no cell is measured yet" in caplog.text
    assert "RESOURCE_EXHAUSTED" in (small.report / "index.html").read_text()


def test_a_place_that_cannot_be_written_fails_before_computing(run, tmp_path, caplog):
    (tmp_path / "file").touch()
    path = str(tmp_path / "file" / "ref.npz")
    assert run("parity", models=(0,), write_reference=path) == INCOMPLETE
    assert "no archive can be written" in caplog.text
    assert "cannot be compared" not in caplog.text


def test_unconverted_models_cannot_be_compared(run, caplog):
    assert run("parity", models=(0,)) == INCOMPLETE
    assert "got no converted checkpoint" in caplog.text


BLOCKED = """
import sys
class Blocked:
    def find_spec(self, name, *_):
        if name.partition('.')[0] == 'torch': raise ImportError('blocked')
sys.meta_path.insert(0, Blocked())
sys.argv = {arguments}
import runpy
runpy.run_path('main.py', run_name='__main__')
"""


def without_torch(root, *arguments):
    code = BLOCKED.format(arguments=["main.py", *arguments])
    # Less optimised, the network compiles in half the time.
    fast = {**os.environ, "XLA_FLAGS": "--xla_backend_optimization_level=0"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=root, env=fast, capture_output=True, text=True)


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_an_archive_of_either_framework_is_agreed_with(
    run, tmp_path, capsys, framework
):
    path = str(tmp_path / "ref.npz")
    written = {"write_reference": path, "framework": framework}
    assert run("convert", "parity", models=(0,), **written) == DONE
    assert f"{path}: {framework}, 1 model(s), 3 image(s)" in capsys.readouterr().out
    assert run("parity", models=(0,), reference=path) == DONE
    [record] = saved.read(run.workdir / "parity")
    [row] = record["rows"]
    assert row["comparison"]["b"] == f"{framework} float64"
    assert row["comparison"]["stages"]["stem"]["count"] == 3 * 16 * 16 * 8


def test_a_machine_without_torch_compares_with_an_archive(run, tmp_path, request):
    path = str(tmp_path / "ref.npz")
    assert run("convert") == DONE
    written = {"write_reference": path, "framework": "torch"}
    assert run("parity", models=(0,), **written, precisions=("float32",)) == DONE
    flags = [
        "--stage=parity",
        f"--workdir={run.workdir}",
        f"--config.models=('m0={run.paths[0]}',)",
        "--precisions=float32",
    ]
    done = without_torch(request.config.rootpath, *flags, f"--reference={path}")
    assert done.returncode == DONE, done.stderr
    assert "1 of 1 model(s) agree" in done.stdout
    live = without_torch(request.config.rootpath, *flags)
    assert live.returncode == INCOMPLETE
    assert "pip install 'biases_jax[torch]'" in live.stderr


def test_archives_of_other_weights_images_or_models_are_refused(
    run, tmp_path, capsys, caplog
):
    path = str(tmp_path / "ref.npz")
    written = {"write_reference": path, "framework": "torch"}
    assert run("convert", "parity", models=(0,), **written) == DONE
    archive = reference.read(path)
    [known] = archive.references.values()
    other = dataclasses.replace(known, weights_sha256="0" * 64)
    reference.write(path, dataclasses.replace(archive, references={"m0": other}))
    assert run("parity", models=(0,), reference=path) == INCOMPLETE
    assert "m0: other weights (sha256" in capsys.readouterr().out
    assert run("parity", models=(1,), reference=path) == INCOMPLETE
    assert "m1 cannot be compared: it is not in the archive, which has m0" in (
        caplog.text
    )
    small = images.Images(archive.images.names, parity_inputs.images(3, 32))
    reference.write(path, dataclasses.replace(archive, images=small))
    assert run("parity", models=(0,), reference=path) == INCOMPLETE
    assert "expected 3072 as the images have" in caplog.text
    epath.Path(path).write_bytes(b"PK")
    assert run("parity", models=(0,), reference=path) == INCOMPLETE
    assert "got no archive of --write_reference" in caplog.text


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"write_reference": "a", "reference": "b"}, "both --write_reference and"),
        ({"reference": "b", "images": "c"}, "--images with --reference"),
        ({"framework": "torch"}, "for a comparison with PyTorch itself"),
        ({"precisions": ("half",)}, r"got precisions \['half'\], expected some of"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(run, changes, message):
    with pytest.raises(app.UsageError, match=message):
        run("parity", **changes)


def test_functions_are_compared_by_archives_on_logits_and_gradient(
    small, tmp_path, caplog, monkeypatch
):
    few = images.Images(("a", "b"), parity_inputs.images(2, 32))
    monkeypatch.setattr(images, "default", lambda: few)

    def parity(*stages, **changes):
        stages = ("parity", *stages)
        asked = Parity(**changes)
        return driver.run(
            dataclasses.replace(small.settings, stages=stages, parity=asked)
        )

    assert parity() == INCOMPLETE
    assert "a cannot be compared: it is a function" in caplog.text
    path = str(tmp_path / "ref.npz")
    assert parity(write_reference=path) == DONE
    assert parity("evaluate", "analyse", reference=path) == DONE
    assert "Cross-framework parity" in (small.report / "index.html").read_text()
    first, _ = saved.read(small.parity)
    [row] = first["rows"]
    assert list(row["comparison"]["stages"]) == ["logits", "gradient"]
    assert first["absent"] == dict.fromkeys(
        ("float64", "bfloat16"), "a function sets its own precision"
    )


def test_a_backend_without_float64_is_told_in_the_table(run, capsys, monkeypatch):
    assert run("convert") == DONE
    monkeypatch.setattr("biases_jax.models.activations.has_float64", lambda: False)
    precisions = ("float64", "float32")
    assert run("parity", models=(0,), precisions=precisions) == DONE
    assert "float64: no float64 on cpu" in capsys.readouterr().out
