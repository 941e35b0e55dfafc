"""Does a file in any of the published layouts give the network's very bits?"""

import argparse
import re

import jax
import layout_files
import layout_tables
import layout_variants
import numpy as np
import pytest
import torch

from biases_jax.models import checkpoints, layouts, spec, zoo
from convert import detection, errors, mapping, reading, run, state_dict

CONTAINERS = {
    "zip": "torch_zip",
    "legacy": "torch_legacy",
    "safetensors": "safetensors",
}
# What the reader knows; it makes placeholders of all other globals.
TORCH = ("collections.", "torch.")
TWO_FILES = ("dino_two_files", "swav_two_files")
ONE_FILE = [name for name in layout_tables.NAMES if name not in TWO_FILES]
FIRST = [  # of each layout, one file
    (name, layout_variants.containers(name)[-1]) for name in layout_tables.NAMES
]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "converted"


def prefix(layout):
    """What stands before torchvision's names, where they are used."""
    (file, *_) = layout_tables.load(layout)["files"].values()
    keys = {layout_files.torch_name(t): t["key"] for t in file["tensors"]}
    key = keys["conv1.weight"]
    return key.removesuffix("conv1.weight") if key.endswith("conv1.weight") else ""


def beside(layout, variant):
    """The tensors that are no part of the network, as they are named when dropped."""
    module = "module." if layout != "madry_robustness" else ""
    file = next(iter(layout_variants.describe(layout, variant)["files"].values()))
    under = file["tensors"][0].get("under")
    return [
        tensor["key"].removeprefix(module)
        for tensor in file["tensors"]
        if tensor.get("under") == under
        and re.search(
            r"aux_bn|attacker|normalizer|projection_head|prototypes", tensor["key"]
        )
    ]


def selected(trees, layout):
    """The weights of a layout's files together, and what was dropped in them."""
    state, dropped = {}, []
    for role, tree in trees.items():
        rules = layout.head if role == "head" else layout.backbone
        found, entries = state_dict.select(tree, rules)
        assert not state.keys() & found.keys()
        state |= found
        dropped += entries.dropped
    return state, dropped


def without_counters(state):
    return {k: v for k, v in state.items() if not k.endswith(mapping.COUNTER)}


def assert_converted(found, arrays):
    expected = mapping.to_flax(arrays, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    jax.tree.map(np.testing.assert_array_equal, found, expected)
    assert len(jax.tree.leaves(found)) == 267 + 2


def test_the_layouts_are_those_described():
    assert sorted(layouts.LAYOUTS) == list(layout_tables.NAMES)
    assert [n for n in layouts.LAYOUTS if layouts.LAYOUTS[n].head] == list(TWO_FILES)


def assert_read(paths, layout, container, variant, arrays, equal):
    described = list(layout_variants.describe(layout, variant)["files"].values())
    trees = {}
    for (role, path), file in zip(paths.items(), described, strict=True):
        checkpoint = state_dict.read(path)
        assert checkpoint.container == CONTAINERS[container]
        names = sorted(file.get("pickle_globals", ()))
        unknown = [name for name in names if not name.startswith(TORCH)]
        assert list(checkpoint.placeholders) == unknown
        trees[role] = checkpoint.tree
    found, dropped = selected(trees, layouts.LAYOUTS[layout])
    assert dropped == beside(layout, variant)
    equal(without_counters(found), without_counters(arrays))
    counters = found.keys() - without_counters(found).keys()
    kept = any(tensor["dtype"] == "int64" for tensor in described[0]["tensors"])
    assert len(counters) == (53 if kept else 0)
    if layout not in TWO_FILES:  # and the same if nobody tells the layout
        equal(selected(trees, detection.detect(trees["backbone"]))[0], found)


@pytest.mark.parametrize("layout, container, variant", layout_variants.chosen())
def test_every_file_is_read_bit_for_bit(
    written, arrays, equal, layout, container, variant
):
    paths = written(layout, container, variant)
    assert_read(paths, layout, container, variant, arrays, equal)


@pytest.mark.slow
def test_every_variant_is_read_from_both_containers(written, arrays, equal):
    for case in set(layout_variants.cases()) - set(layout_variants.chosen()):
        assert_read(written(*case), *case, arrays, equal)


@pytest.mark.parametrize("layout, container", FIRST)
def test_the_record_says_how_a_file_was_read(written, arrays, layout, container):
    paths = written(layout, container)
    told = layouts.LAYOUTS[layout] if layout in TWO_FILES else None
    plan = {"sources": dict.fromkeys(paths, {})}
    tree, manifest = reading.read(zoo.own("mine", told), paths, plan)
    assert_converted(tree, arrays)
    assert manifest["detected"] == (told is None)
    assert manifest["counters"] == 53
    source = manifest["sources"]["backbone"]
    assert source["container"] == CONTAINERS[container]
    assert source["dropped"] == beside(layout, layout_variants.PUBLISHED)
    args = ["argparse.Namespace"] if layout == "diffusionnoise_namespace" else []
    assert source["placeholders"] == args


@pytest.mark.parametrize("layout", TWO_FILES)
def test_two_files_in_a_folder_are_converted_by_the_name_of_their_layout(
    state, arrays, tmp_path, out, layout
):
    names = {"backbone": "backbone.pth", "head": "head.pth.tar"}
    layout_files.write(layout, state, tmp_path, container="legacy", names=names)
    run.convert("mine", str(tmp_path), "", out, layouts.LAYOUTS[layout])
    assert_converted(checkpoints.load_unfolded(out / "mine"), arrays)


def spoiled(layout, container, state, folder):
    """Write a file with one fault of every kind among the weights."""
    files = layout_files.build(layout, state, container=container)
    description = next(iter(layout_tables.load(layout)["files"].values()))
    weights = layout_files.weights(files["backbone"].content, description)
    keys = {layout_files.torch_name(t): t["key"] for t in description["tensors"]}
    del weights[keys["layer1.0.conv2.weight"]]
    weights[prefix(layout) + "spare.weight"] = torch.zeros(3)
    weights[keys["bn1.bias"]] = torch.zeros(5)
    weights[keys["layer3.1.bn2.weight"]] = torch.ones(16, dtype=torch.int64)
    weights[keys["conv1.weight"]][1, 0, 2, 3] = torch.nan
    weights[keys["layer4.0.bn1.bias"]][3] = -torch.inf
    weights[keys["layer4.2.bn3.running_var"]][7] = -1e-9
    for role, file in files.items():
        layout_files.save(file, folder / f"{role}.pth", container)
    if layout in TWO_FILES:
        return folder, layouts.LAYOUTS[layout]
    return folder / "backbone.pth", None


@pytest.mark.parametrize("layout, container", FIRST)
def test_all_that_is_wrong_with_a_file_is_listed(
    state, tmp_path, out, layout, container
):
    path, rules = spoiled(layout, container, state, tmp_path)
    with pytest.raises(ValueError) as error:
        run.convert("mine", str(path), "", out, rules)
    for expected in (
        "1 missing: layer1.0.conv2.weight; 1 unknown: spare.weight; "
        "1 misshapen: bn1.bias [5] instead of [4]; 4 unusable: ",
        "conv1.weight (not finite)",
        "layer3.1.bn2.weight (int64 instead of floating point)",
        "layer4.0.bn1.bias (not finite)",
        "layer4.2.bn3.running_var (negative)",
    ):
        assert expected in str(error.value)
    assert not out.exists()


@pytest.mark.parametrize("layout", [n for n in ONE_FILE if "safetensors" not in n])
def test_an_object_among_the_weights_is_an_error_that_names_it(
    state, tmp_path, out, layout
):
    (file,) = layout_files.build(layout, state, container="zip").values()
    description = next(iter(layout_tables.load(layout)["files"].values()))
    weights = layout_files.weights(file.content, description)
    weights[prefix(layout) + "fc.bias"] = argparse.Namespace(values=[0.0] * 10)
    path = layout_files.save(file, tmp_path / "model.pth", "zip")
    under = description["tensors"][0].get("under")
    name = ".".join(filter(None, (under, prefix(layout) + "fc.bias")))
    with pytest.raises(errors.CheckpointError) as error:
        run.convert("mine", str(path), "", out)
    assert f"{name}: got an unknown object argparse.Namespace" in str(error.value)


@pytest.mark.parametrize("second", ["model", "model_state_dict", "resnet"])
def test_a_file_with_two_networks_is_refused_unless_the_layout_is_told(
    state, arrays, tmp_path, out, equal, second
):
    other = {name: value + 1 for name, value in state.items()}
    if second == "model":
        other = {f"module.{name}": value for name, value in other.items()}
    path = tmp_path / "model.pth"
    torch.save({"state_dict": state, second: other}, path)
    with pytest.raises(errors.CheckpointError, match="networks, at 'state_dict'"):
        run.convert("mine", str(path), "", out)
    assert not out.exists()
    trees = {"backbone": state_dict.read(path).tree}
    equal(selected(trees, layouts.LAYOUTS["pytorch_examples_dp"])[0], arrays)


def test_a_network_that_is_there_twice_is_one_network(state, arrays, tmp_path, equal):
    path = tmp_path / "model.pth"
    torch.save({"state_dict": state, "model_state_dict": dict(state)}, path)
    trees = {"backbone": state_dict.read(path).tree}
    equal(selected(trees, detection.detect(trees["backbone"]))[0], arrays)


def test_the_name_of_an_architecture_is_no_network(tmp_path, out):
    path = tmp_path / "model.pth"
    torch.save({"epoch": 90, "model": "resnet50", "best_acc1": 77.5}, path)
    for layout in (None, layouts.LAYOUTS["madry_robustness"]):
        with pytest.raises(
            errors.CheckpointError, match="model .a str|model: got a str"
        ):
            run.convert("mine", str(path), "", out, layout)


def test_a_training_checkpoint_fails_by_default_and_passes_by_its_layout(
    state, arrays, tmp_path, out
):
    """Test T9: prefix, second batch norms, a Namespace; then two faults besides."""
    (file,) = layout_files.build("tsbias_mixbn", state, container="zip").values()
    file.content["args"] = argparse.Namespace(lr=0.1)
    path = str(layout_files.save(file, tmp_path / "good.pth", "zip"))
    prefix_only = spec.Layout("told", layouts.LAYOUTS["pytorch_examples_dp"].backbone)
    with pytest.raises(ValueError, match="265 unknown: bn1.aux_bn.bias, ") as error:
        run.convert("mine", path, "", out, prefix_only)
    assert str(error.value).count("aux_bn") == 265
    allowed = spec.Rules(
        prefix_only.backbone.roots, prefix_only.backbone.rename, ("aux_bn",)
    )
    manifest = run.convert("mine", path, "", out, spec.Layout("told", allowed)).manifest
    assert len(manifest["sources"]["backbone"]["dropped"]) == 265
    assert manifest["sources"]["backbone"]["placeholders"] == ["argparse.Namespace"]
    assert_converted(checkpoints.load_unfolded(out / "mine"), arrays)
    weights = file.content["state_dict"]
    del weights["module.fc.bias"]
    weights["module.bn1.bias"] = torch.zeros(5)
    path = str(layout_files.save(file, tmp_path / "bad.pth", "zip"))
    with pytest.raises(ValueError) as error:
        run.convert("yours", path, "", out)
    faults = "1 missing: fc.bias; 1 misshapen: bn1.bias [5] instead of [4]."
    assert faults in str(error.value)
    assert not (out / "yours").exists()
