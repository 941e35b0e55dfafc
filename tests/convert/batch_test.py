"""Are many models converted side by side, each for itself?"""

import dataclasses
import hashlib
import threading

import pytest
import torch

from biases_jax.models import checkpoints, names, spec, zoo
from convert import batch, fingerprint, run


@pytest.fixture
def weights(tmp_path, state, monkeypatch):
    """A folder with small files under three models' published names."""
    for name in ("resnet50_moco_v3_100ep", "resnet50_moco_v3_300ep", "resnet50_prime"):
        row = dataclasses.replace(zoo.MODELS[name], width=4, num_classes=10)
        monkeypatch.setitem(zoo.MODELS, name, row)
        moved = {f"module.{key}": value + len(name) for key, value in state.items()}
        content = moved if name == "resnet50_prime" else {"state_dict": moved}
        torch.save(content, tmp_path / row.backbone[0].file)
    return tmp_path


def attempts(models, weights, **options):
    references = names.parse(models)
    options = {"offline": True, **options}
    return list(batch.convert(references, str(weights), weights / "out", **options))


@pytest.mark.parametrize("jobs", [0, 1, 3])
def test_all_that_patterns_name_are_converted_in_their_order(weights, jobs):
    models = ["resnet50_moco_v3_[13]00ep", "resnet50_prime"]
    found = attempts(models, weights, jobs=jobs)
    assert [a.name for a in found] == [
        "resnet50_moco_v3_100ep",
        "resnet50_moco_v3_300ep",
        "resnet50_prime",
    ]
    assert {a.status for a in found} == {"converted"}
    for attempt in found:
        folder = weights / "out" / attempt.name
        assert checkpoints.read_manifest(folder) == attempt.outcome.manifest
        checkpoints.load(folder)  # which checks the sum
    again = attempts(models, weights, jobs=jobs)
    assert {a.status for a in again} == {"unchanged"}


def test_a_failure_costs_its_own_model_only(weights):
    (weights / zoo.MODELS["resnet50_moco_v3_100ep"].backbone[0].file).write_text("<a>")
    found = attempts(["resnet50_moco_v3_*"], weights)
    assert [a.status for a in found] == ["failed", "converted", "failed"]
    assert "HTML" in str(found[0].error)
    assert "--offline" in str(found[2].error)
    assert batch.table(found).splitlines()[1].split()[::2] == [
        "resnet50_moco_v3_100ep",
        "failed",
    ]


def test_models_are_converted_at_the_same_time(weights, monkeypatch):
    barrier = threading.Barrier(2, timeout=30)
    convert = run.convert

    def together(*arguments):
        barrier.wait()  # breaks unless two are under way
        return convert(*arguments)

    monkeypatch.setattr(run, "convert", together)
    found = attempts(["resnet50_moco_v3_100ep", "resnet50_prime"], weights, jobs=2)
    assert [a.status for a in found] == ["converted", "converted"]


def test_the_table_says_source_size_sum_verdict_licence_time_and_status(weights):
    found = attempts(["resnet50_moco_v3_100ep", "resnet50_prime"], weights)
    lines = batch.table(found).splitlines()
    path = weights / "linear-100ep.pth.tar"
    cells = lines[1].split("  ")
    cells = [cell.strip() for cell in cells if cell.strip()]
    assert cells[:7] == [
        "resnet50_moco_v3_100ep",
        "linear-100ep.pth.tar",
        f"{path.stat().st_size / 1e6:.1f} MB",
        hashlib.sha256(path.read_bytes()).hexdigest()[:12],
        "not known",
        "no fingerprint",
        "cc-by-nc-4.0",
    ]
    assert float(cells[7]) > 0
    assert cells[8] == "converted"
    assert lines[3:] == [
        batch.NOTE,
        "resnet50_moco_v3_100ep: not for commercial use (cc-by-nc-4.0)",
    ]


def test_an_unexpected_failure_costs_its_own_model_too(weights, monkeypatch, caplog):
    convert = run.convert

    def fail(name, *arguments):
        if name == "resnet50_moco_v3_100ep":
            raise KeyError("surprise")
        return convert(name, *arguments)

    monkeypatch.setattr(run, "convert", fail)
    found = attempts(["resnet50_moco_v3_[13]00ep"], weights)
    assert [a.status for a in found] == ["failed", "converted"]
    assert "Traceback" in caplog.text


def test_the_table_names_the_nearest_model_where_weights_are_others(weights):
    verdict = fingerprint.Verdict(
        fingerprint.OTHER, "tv_resnet50", 0.25, "layer1.0.conv2"
    )
    (attempt,) = attempts(["resnet50_prime"], weights)
    manifest = {**attempt.outcome.manifest, "fingerprint": verdict.record()}
    outcome = run.Outcome(manifest, False)
    text = batch.table([attempt._replace(outcome=outcome)])
    assert "not the paper's weights" in text.splitlines()[1]
    assert "differ most in layer1.0.conv2; nearest: tv_resnet50, by 0.25" in text


def test_own_models_take_the_layout_of_the_flags_or_their_own(weights, state):
    torch.save({"net": state}, weights / "net.pth")
    torch.save({"resnet": state}, weights / "simclr.pth")
    layout = spec.Layout("told", spec.Rules(("net",)))
    models = [
        f"one={weights}/net.pth",
        f"two=simclrv2_separius:{weights}/simclr.pth",
        f"three={weights}/simclr.pth",
    ]
    found = attempts(models, weights, layout=layout)
    assert [a.status for a in found] == ["converted", "converted", "failed"]
    assert found[0].outcome.manifest["layout"] == "told"
    assert found[1].outcome.manifest["layout"] == "simclrv2_separius"
    assert "no dict at 'net'" in str(found[2].error)
