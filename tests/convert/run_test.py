"""Does one call turn a file into a checkpoint, once, and put on record what it did?"""

import argparse
import dataclasses
import hashlib
import logging
import os
import shutil

import jax
import numpy as np
import pytest
import safetensors.torch
import torch

from biases_jax.models import checkpoints, layouts, spec, zoo
from convert import errors, fingerprint, mapping, reading, run


@pytest.fixture
def out(tmp_path):
    return tmp_path / "converted"


def assert_same(found, arrays):
    expected = mapping.to_flax(arrays, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    jax.tree.map(np.testing.assert_array_equal, found, expected)


def small(monkeypatch, name, **changes):
    """Let a row of the zoo be as small as the tests' networks."""
    row = dataclasses.replace(zoo.MODELS[name], width=4, num_classes=10, **changes)
    monkeypatch.setitem(zoo.MODELS, name, row)


def told(**rules):
    return spec.Layout("told", spec.Rules(**rules))


def warnings(caplog):
    return [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]


def test_a_file_becomes_the_267_leaves_and_a_manifest(save, state, arrays, out):
    path = save({"net": dict(state), "args": argparse.Namespace(lr=1)})
    rules = told(roots=("net",))
    manifest = run.convert("mine", str(path), "", out, rules).manifest
    assert_same(checkpoints.load_unfolded(out / "mine"), arrays)
    assert manifest == checkpoints.read_manifest(out / "mine")
    tree = checkpoints.load_unfolded(out / "mine")
    source = manifest.pop("sources")["backbone"]
    assert source.pop("container") in ("torch_zip", "torch_legacy")
    assert source == {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "verified": False,
        "digits": 0,
        "roots": ["net"],
        "root": "net",
        "rename": [],
        "drop": [],
        "file": "model.pth",
        "path": str(path),
        "bytes": path.stat().st_size,
        "dropped": [],
        "placeholders": ["argparse.Namespace"],
        "metadata": {},
    }
    assert manifest == {
        "model": "mine",
        "converter": run.VERSION,
        "layout": "told",
        "detected": False,
        "given": True,
        "licence": "",
        "fingerprint": fingerprint.Verdict(fingerprint.NONE).record(),
        "mean": list(zoo.IMAGENET_MEAN),
        "std": list(zoo.IMAGENET_STD),
        "counters": 53,
        "width": 4,
        "num_classes": 10,
        "stem_stride": 2,
        "weights_sha256": checkpoints.weights_sha256(tree),
    }


def test_rules_are_applied_and_recorded(save, prefixed, state, arrays, out):
    extra = {"module.bn1.aux_bn.weight": state["bn1.weight"]}
    path = save(prefixed | extra)
    rules = told(rename=((r"^module\.", ""),), drop=("aux_bn",))
    manifest = run.convert("mine", str(path), "", out, rules).manifest
    assert_same(checkpoints.load_unfolded(out / "mine"), arrays)
    source = manifest["sources"]["backbone"]
    assert source["rename"] == [[r"^module\.", ""]]
    assert source["drop"] == ["aux_bn"]
    assert source["dropped"] == ["bn1.aux_bn.weight"]


def test_a_failed_conversion_leaves_nothing(save, state, out):
    wrong = {name: value for name, value in state.items() if name != "fc.bias"}
    with pytest.raises(ValueError, match="1 missing: fc.bias"):
        run.convert("mine", str(save(wrong)), "", out)
    assert not out.exists()


def test_the_same_file_is_converted_once(save, state, out):
    path = str(save(state))
    first = run.convert("mine", path, "", out)
    again = run.convert("mine", path, "", out)
    assert (first.skipped, again.skipped) == (False, True)
    assert first.manifest == again.manifest
    os.remove(path)
    assert run.convert("mine", path, "", out) == again
    with pytest.raises(FileNotFoundError):
        run.convert("another", path, "", out)


def test_a_slip_in_the_path_does_not_bring_back_an_earlier_conversion(save, state, out):
    path = save(state)
    run.convert("mine", str(path), "", out)
    for slip in (path.with_name("typo.pth"), path.parent / "typo" / path.name):
        with pytest.raises(FileNotFoundError, match="typo"):
            run.convert("mine", str(slip), "", out)


@pytest.mark.parametrize("text", ['{"a":', '{"a": 1}', ""])
def test_a_damaged_manifest_is_converted_anew(save, state, out, text):
    path = str(save(state))
    manifest = run.convert("mine", path, "", out).manifest
    (out / "mine" / checkpoints.MANIFEST).write_text(text)
    assert run.convert("mine", path, "", out) == (manifest, False)


@pytest.mark.parametrize("change", ["file", "rules", "version"])
def test_other_files_rules_and_converters_convert_again(
    save, state, out, monkeypatch, change
):
    path, rules = str(save(state)), None
    run.convert("mine", path, "", out)
    if change == "file":
        save({**state, "fc.bias": state["fc.bias"] + 1})
    elif change == "rules":
        rules = told(drop=("aux_bn",))
    else:
        monkeypatch.setattr(run, "VERSION", run.VERSION + 1)
    outcome = run.convert("mine", path, "", out, rules)
    assert not outcome.skipped
    assert outcome.manifest == checkpoints.read_manifest(out / "mine")
    fc = checkpoints.load_unfolded(out / "mine")["params"]["fc"]
    moved = 1 if change == "file" else 0
    np.testing.assert_array_equal(fc["bias"], state["fc.bias"].numpy() + moved)


def test_an_outdated_conversion_without_its_file_is_an_error(
    save, state, out, monkeypatch
):
    path = str(save(state))
    run.convert("mine", path, "", out)
    os.remove(path)
    monkeypatch.setattr(run, "VERSION", run.VERSION + 1)
    with pytest.raises(FileNotFoundError):
        run.convert("mine", path, "", out)


def test_models_of_the_zoo_come_from_the_folder_if_the_sum_is_right(
    tmp_path, state, arrays, out, monkeypatch, caplog
):
    path = tmp_path / "tv_resnet50.safetensors"
    safetensors.torch.save_file(state, path)
    with pytest.raises(errors.CheckpointError, match="not the published file"):
        run.convert("tv_resnet50", None, str(tmp_path), out)
    with pytest.raises(errors.CheckpointError, match="not the published file"):
        run.convert("tv_resnet50", str(path), "", out)
    digits = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    published = spec.Published("resnet50-00000000.pth", "https://a", digits)
    small(
        monkeypatch,
        "tv_resnet50",
        backbone=(published,),
        mean=(0.0,) * 3,
    )
    manifest = run.convert("tv_resnet50", None, str(tmp_path), out).manifest
    assert manifest["sources"]["backbone"]["verified"] is True
    assert warnings(caplog) == []
    assert manifest["mean"] == [0, 0, 0]
    tree = checkpoints.load_unfolded(out / "tv_resnet50")
    np.testing.assert_array_equal(tree["normalize"]["mean"], np.zeros(3, np.float32))
    np.testing.assert_array_equal(tree["params"]["fc"]["bias"], arrays["fc.bias"])


@pytest.mark.parametrize("name", ["tv2_resnet50", "resnet50.c2_in1k"])
def test_other_networks_are_not_taken_for_those_of_the_zoo(
    tmp_path, state, out, monkeypatch, name
):
    torch.save(state, tmp_path / f"{name}.pth")
    with pytest.raises(errors.CheckpointError, match="got .* width 4 with 10 classes"):
        run.convert(name, None, str(tmp_path), out)
    assert not out.exists()
    # An earlier conversion, made when nobody looked at the size.
    with monkeypatch.context() as earlier:
        small(earlier, name)
        run.convert(name, None, str(tmp_path), out)
    with pytest.raises(errors.CheckpointError, match="--models=my_name=path"):
        run.convert(name, None, "", out)
    run.convert("mine", str(tmp_path / f"{name}.pth"), "", out)


def test_weights_that_nobody_can_verify_are_told_at_each_conversion(
    tmp_path, state, out, monkeypatch, caplog
):
    small(monkeypatch, "tv2_resnet50")
    path = tmp_path / "tv2_resnet50.pth"
    torch.save(state, path)
    for skipped in (False, True):
        caplog.clear()
        outcome = run.convert("tv2_resnet50", str(path), "", out)
        assert outcome.skipped == skipped
        assert outcome.manifest["sources"]["backbone"]["verified"] is False
        (message,) = warnings(caplog)
        assert "sha256 of tv2_resnet50.pth" in message and "80.342 %" in message
    caplog.clear()
    run.convert("mine", str(path), "", out)  # of which nothing was published
    assert warnings(caplog) == []


def test_a_head_published_apart_joins_its_backbone(
    tmp_path, state, arrays, out, monkeypatch
):
    folder = tmp_path / "two"
    folder.mkdir()
    body = {name: v for name, v in state.items() if not name.startswith("fc.")}
    head = {f"module.linear.{name}": state[f"fc.{name}"] for name in ("weight", "bias")}
    torch.save(body, folder / "backbone.pth")
    torch.save({"state_dict": head}, folder / "head.pth.tar")
    layout = zoo.MODELS["resnet50_dino"].layout
    model = zoo.ModelSpec("two", "contrastive", "", layout, width=4, num_classes=10)
    monkeypatch.setitem(zoo.MODELS, "two", model)
    manifest = run.convert("two", None, str(tmp_path), out).manifest
    assert_same(checkpoints.load_unfolded(out / "two"), arrays)
    assert manifest["sources"]["head"]["file"] == "head.pth.tar"
    torch.save(state, folder / "backbone.pth")
    with pytest.raises(errors.CheckpointError, match="fc.bias, fc.weight in both"):
        run.convert("two", None, str(tmp_path), out)


@pytest.mark.parametrize("text, stride", [("1", 1), ("2", 2), ("3", None), ("x", None)])
def test_the_stem_of_small_networks_is_in_the_metadata(
    tmp_path, state, out, text, stride
):
    path = tmp_path / "small.safetensors"
    safetensors.torch.save_file(state, path, metadata={"stem_stride": text})
    if stride is None:
        with pytest.raises(errors.CheckpointError, match="stem_stride"):
            run.convert("small", str(path), "", out)
    else:
        manifest = run.convert("small", str(path), "", out).manifest
        assert manifest["stem_stride"] == stride


def test_texts_beside_the_tensors_go_on_record(tmp_path, state, out):
    path = tmp_path / "told.safetensors"
    longest = "x" * reading.LONGEST
    texts = {"training": "90 epochs", "notes": longest, "log": longest + "x"}
    safetensors.torch.save_file(state, path, metadata=texts)
    manifest = run.convert("told", str(path), "", out).manifest
    found = manifest["sources"]["backbone"]["metadata"]
    assert found == {"training": "90 epochs", "notes": longest}


def test_an_unknown_name_without_a_path_is_an_error(out):
    with pytest.raises(ValueError, match="known: tv_resnet50"):
        run.convert("mine", None, "", out)


def test_rules_are_kept_when_none_are_given(save, prefixed, out):
    renamed = {f"odd.{name}": value for name, value in prefixed.items()}
    path, rules = str(save(renamed)), told(rename=((r"^odd\.module\.", ""),))
    with pytest.raises(ValueError, match="prefix 'odd.module.'"):
        run.convert("mine", path, "", out)
    first = run.convert("mine", path, "", out, rules)
    again = run.convert("mine", path, "", out)
    assert again.skipped
    assert again.manifest == first.manifest


def test_rules_are_not_kept_for_another_file(save, state, arrays, out):
    path = save({"ema": {name: value + 1 for name, value in state.items()}})
    run.convert("mine", str(path), "", out, told(roots=("ema",)))
    save(state)
    run.convert("mine", str(path), "", out)
    assert_same(checkpoints.load_unfolded(out / "mine"), arrays)


def test_a_file_that_is_gone_is_not_taken_by_other_rules(save, state, out):
    path = save({"ema": state, "state_dict": {k: v + 1 for k, v in state.items()}})
    layout = told(roots=("ema",))
    run.convert("mine", str(path), "", out, layout)
    path.unlink()
    assert run.convert("mine", str(path), "", out).skipped
    assert run.convert("mine", str(path), "", out, layout).skipped
    others = (told(roots=("state_dict",)), layouts.LAYOUTS["geirhos_dataparallel"])
    for other in others:
        with pytest.raises(FileNotFoundError, match="by the layout 'told', is gone"):
            run.convert("mine", str(path), "", out, other)


def test_of_two_files_both_must_be_gone(tmp_path, state, out):
    body = {name: v for name, v in state.items() if not name.startswith("fc.")}
    head = {f"module.linear.{name}": state[f"fc.{name}"] for name in ("weight", "bias")}
    torch.save(body, tmp_path / "backbone.pth")
    torch.save({"state_dict": head}, tmp_path / "head.pth")
    layout = layouts.LAYOUTS["dino_two_files"]
    run.convert("mine", str(tmp_path), "", out, layout)
    (tmp_path / "head.pth").unlink()
    (tmp_path / "backbone.pth").write_text("<html>")
    with pytest.raises(FileNotFoundError, match="head"):
        run.convert("mine", str(tmp_path), "", out, layout)
    (tmp_path / "backbone.pth").unlink()
    assert run.convert("mine", str(tmp_path), "", out, layout).skipped


def test_a_model_of_the_zoo_does_not_stay_what_was_given_by_hand(
    tmp_path, state, out, monkeypatch
):
    small(monkeypatch, "resnet50_prime")
    path = tmp_path / "by_hand.pth"
    torch.save(state, path)
    run.convert("resnet50_prime", str(path), "", out)
    with pytest.raises(OSError, match="got none of"):
        run.convert("resnet50_prime", None, str(tmp_path), out, offline=True)


def test_a_conversion_without_its_arrays_is_made_anew(save, state, out):
    path = str(save(state))
    run.convert("mine", path, "", out)
    shutil.rmtree(out / "mine" / checkpoints.ARRAYS)
    assert not run.convert("mine", path, "", out).skipped
    checkpoints.load(out / "mine")


def test_a_moved_file_is_found_where_it_lies_now(save, state, out):
    path = save(state)
    first = run.convert("mine", str(path), "", out).manifest
    moved = path.with_name("moved.pth")
    path.rename(moved)
    again = run.convert("mine", str(moved), "", out)
    assert again.skipped
    assert again.manifest == checkpoints.read_manifest(out / "mine")
    source = again.manifest["sources"]["backbone"]
    assert (source["file"], source["path"]) == ("moved.pth", str(moved))
    assert again.manifest["weights_sha256"] == first["weights_sha256"]
