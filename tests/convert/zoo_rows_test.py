"""Do all 48 published models convert, each from a file that is laid out as its own?"""

import dataclasses
import hashlib
import json
import pathlib
import re

import jax
import layout_files
import layout_variants
import numpy as np
import parity_inputs
import pytest
import safetensors.torch
import torch
import torch_oracle

from biases_jax.models import checkpoints, ops, resnet, zoo
from convert import errors, run

ROOT = pathlib.Path(__file__).parents[2]
PINS = ROOT / "tests/golden/pins.json"
SHARED = ROOT / "../shared/data/pins.json"
FACTS = json.loads(PINS.read_text())["models"]
WIDTH, CLASSES = 4, 10
IMAGES = parity_inputs.images(2, 64, np.float64)
LICENCE = r"mit|apache-2\.0|gpl-3\.0|bsd-3|cc-by-nc-4\.0|unknown|none"
# Where each group's loading code looks for the tensors, and what it takes from names.
AUTHORS = {
    "timm_safetensors_flat": ("", ""),
    "torchvision_flat_zip": ("", ""),
    "prime_flat": ("", ""),
    "geirhos_dataparallel": ("state_dict", "module."),
    "pytorch_examples_dp": ("state_dict", "module."),
    "augmix_dataparallel": ("state_dict", "module."),
    "moco_v3_lincls": ("state_dict", "module."),
    "pixmix_single": ("state_dict", "module."),
    "noisymix_robustbench": ("state_dict", "module."),
    "frozen_random": ("state_dict", "module."),
    "opticsaugment": ("model_state_dict", "module."),
    "diffusionnoise_namespace": ("model", "module."),
    "tsbias_mixbn": ("state_dict", "module."),
    "madry_robustness": ("model", "module.model."),
    "simclrv2_separius": ("resnet", ""),
    "dino_two_files": ("", ""),
    "swav_two_files": ("", "module."),
}
TENSORFLOW = {
    "conv1": "net.0",
    "bn1": "net.1.0",
    "conv2": "net.2",
    "bn2": "net.3.0",
    "conv3": "net.4",
    "bn3": "net.5.0",
    "downsample.0": "projection.shortcut",
    "downsample.1": "projection.bn.0",
}
FIRST = {pin["layout"]: name for name, pin in reversed(FACTS.items())}
# All rows' first sources, and of some the second, which is in another container.
SOURCES = [(name, 0) for name in FACTS]
SOURCES += [("tv_resnet50", 1), ("tv2_resnet50", 1), ("resnet50.a1_in1k", 1)]


def sources(pin, role):
    """Return (uri, digits of the sum) of a fact's sources, the preferred first."""
    (file,) = [f for f in pin["files"] if f.get("role", "backbone") == role]
    digits = file.get("sha256") or file.get("sha256_prefix") or ""
    if file["kind"] == "hf":
        revision = f"@{file['revision']}" if file["revision"] else ""
        uri = f"hf:{file['repo']}/{file['file']}{revision}"
    elif file["kind"] == "gdrive":
        uri = f"gdrive:{file['id']}"
    else:
        uri = file["url"]
    mirrors = [
        (_uri(text), file.get("fallback_sha256_prefix", ""))
        for text in file.get("fallbacks", ())
    ]
    return [(_uri(uri), digits), *mirrors]


def _uri(text):
    """A source as rows state it; timm's repository moved, and the old name leads on."""
    text = text.replace("gdrive(RobustBench):", "gdrive:").replace(" ", "/")
    text = text.replace("github.com/rwightman/", "github.com/huggingface/")
    return re.sub(
        r"https://zenodo\.org/records/(\d+)/files/(.+)\?download=1",
        r"zenodo:\1/\2",
        text,
    )


def test_the_kept_facts_are_the_shared_ones():
    if not SHARED.exists():
        pytest.skip("the project's shared material is not beside the checkout")
    assert PINS.read_bytes() == SHARED.read_bytes()


def test_the_rows_are_the_48_in_the_facts_order():
    assert len(zoo.MODELS) == 48
    assert list(zoo.MODELS) == list(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_rows_agree_with_the_facts(name):
    row, pin = zoo.MODELS[name], FACTS[name]
    assert row.name == name
    assert row.category == pin["category"]
    assert row.layout.name == pin["layout"]
    assert row.top1 == pin["top1_benchmark_csv"]
    assert (*row.mean, *row.std) == (*pin["mean"], *pin["std"])
    assert (row.width, row.num_classes) == (64, 1000)
    licences = [found.replace("none", "unknown") for found in _licences(pin["license"])]
    assert set(licences) <= set(_licences(row.licence))
    assert row.non_commercial == ("-nc-" in pin["license"])
    roles = {"backbone": row.backbone, "head": row.head}
    two = len(pin["files"]) == 2
    for role in ("backbone", "head") if two else ("backbone",):
        found = [(file.uri, file.sha256) for file in roles[role]]
        assert found == sources(pin, role)
    assert two or not row.head
    for file in pin["files"]:
        if "file" in file:
            first = roles[file.get("role", "backbone")][0].file
            assert (
                first == file["file"] or first == f"{_repository(file)}/{file['file']}"
            )


def _licences(text):
    return re.findall(LICENCE, text)


def _repository(file):
    return file.get("repo", "").partition("/")[2]


def test_no_two_published_files_would_lie_at_one_place():
    files = [file for row in zoo.MODELS.values() for file in (*row.backbone, *row.head)]
    assert len({file.file for file in files}) == len(files)
    assert len({file.uri for file in files}) == len(files)


def prepared(name, source, state, folder, monkeypatch):
    """Write a row's file under its published name, and make the row fit its size.

    Published sums become the file's own, of as many digits.
    """
    row = zoo.MODELS[name]
    published = {"backbone": row.backbone[source]}
    if row.head:
        published["head"] = row.head[0]
    layout, variant = row.layout.name, layout_variants.PUBLISHED
    if published["backbone"].file.endswith(".safetensors"):
        layout = "timm_safetensors_flat"
    elif layout == "timm_safetensors_flat":
        variant = "release"
    elif name != FIRST[layout] and "stripped" in layout_variants.VARIANTS[layout]:
        variant = "stripped"  # to be quick: only the first row's has its optimizer
    known = layout_variants.containers(layout, variant)
    container = known[list(FACTS).index(name) % len(known)]
    names = {role: file.file for role, file in published.items()}
    paths = layout_files.write(
        layout, state, folder, container=container, variant=variant, names=names
    )
    changed = {"width": WIDTH, "num_classes": CLASSES}
    for role, path in paths.items():
        digits = hashlib.sha256(path.read_bytes()).hexdigest()
        files = list(getattr(row, role))
        place = files.index(published[role])
        own = digits[: len(published[role].sha256)]
        files[place] = dataclasses.replace(published[role], sha256=own)
        changed[role] = tuple(files)
    monkeypatch.setitem(zoo.MODELS, name, dataclasses.replace(row, **changed))
    return paths


def as_the_authors_read(layout, paths):
    """The state dict as torch and each group's own code have it, all 320 entries."""
    contents = {role: _torch_load(path) for role, path in paths.items()}
    level, prefix = AUTHORS[layout]
    tensors = contents["backbone"][level] if level else contents["backbone"]
    if layout == "simclrv2_separius":
        return {name: tensors[_tensorflow_name(name)] for name in _names()}
    state = {
        key.removeprefix(prefix): value
        for key, value in tensors.items()
        if layout != "madry_robustness" or key.startswith(prefix)
    }
    if "head" in contents:
        head = contents["head"]["state_dict"]
        state |= {
            "fc.weight": head["module.linear.weight"],
            "fc.bias": head["module.linear.bias"],
        }
    apart = ("aux_bn", "projection_head", "prototypes")
    return {k: v for k, v in state.items() if not any(word in k for word in apart)}


def _torch_load(path):
    if path.suffix == ".safetensors":
        return safetensors.torch.load_file(path)
    return torch.load(path, map_location="cpu", weights_only=False)


def _names():
    return torch_oracle.ResNet50(WIDTH, CLASSES).state_dict()


def _tensorflow_name(name):
    block = re.fullmatch(r"layer(\d)\.(\d)\.(\w+(?:\.\d)?)\.(\w+)", name)
    if block:
        layer, place, module, kind = block.groups()
        return f"net.{layer}.blocks.{place}.{TENSORFLOW[module]}.{kind}"
    module, _, kind = name.partition(".")
    return f"{ {'conv1': 'net.0.0', 'bn1': 'net.0.1.0', 'fc': 'fc'}[module] }.{kind}"


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """For such small networks, torch takes a hundred times longer to share the work."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def logits():
    """The network in float64, compiled once for all rows."""
    network = resnet.ResNet50(WIDTH, CLASSES, forms=ops.PLAIN)  # quick to compile
    apply = jax.jit(resnet.apply_of(network))

    def answer(tree):
        with jax.enable_x64(True):
            return np.asarray(apply(checkpoints.fold(tree, np.float64), IMAGES))

    return answer


def torch_logits(state, mean, std):
    network = torch_oracle.ResNet50(WIDTH, CLASSES)
    network.load_state_dict(state, strict=True)
    # The variables hold mean and std in float32.
    mean, std = (np.float64(np.float32(values)) for values in (mean, std))
    pixels = torch.tensor((IMAGES - mean) / std).permute(0, 3, 1, 2)
    with torch.no_grad():
        return network.double()(pixels).numpy()


@pytest.fixture
def kept(monkeypatch):
    """What conversions save; that it is saved bit for bit is tested elsewhere."""
    trees = {}

    def save(folder, tree, manifest):
        trees[folder.name] = tree
        return manifest

    monkeypatch.setattr(checkpoints, "save", save)
    return trees


@pytest.mark.parametrize("name, source", SOURCES)
def test_float64_logits_of_a_row_are_those_of_torch_from_the_same_file(
    state, tmp_path, monkeypatch, kept, logits, name, source
):
    # No two rows have the same logits, so that no file passes for another.
    shift = 1 + list(FACTS).index(name) / 10
    state = {**state, "fc.bias": state["fc.bias"] + shift}
    paths = prepared(name, source, state, tmp_path, monkeypatch)
    out = tmp_path / "converted"
    manifest = run.convert(name, None, str(tmp_path), out, offline=True).manifest
    for role, path in paths.items():
        found = manifest["sources"][role]
        assert found["path"] == str(path)
        published = getattr(zoo.MODELS[name], role)
        (file,) = [f for f in published if found["path"].endswith(f.file)]
        assert found["verified"] == bool(file.sha256)
    pin = FACTS[name]
    layout = "torchvision_flat_zip" if source else pin["layout"]
    oracle = as_the_authors_read(layout, paths)
    found = logits(kept[name])
    assert found.dtype == np.float64
    expected = torch_logits(oracle, pin["mean"], pin["std"])
    # Rounding is some 1e-14; a wrong tensor, mean or padding is above 1e-3.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    assert abs(found.mean() - shift) < 1


def test_another_file_under_a_published_name_is_refused(tmp_path):
    rows = [row for row in zoo.MODELS.values() if row.backbone[0].sha256]
    assert len(rows) == 24
    for row in rows:
        path = tmp_path / row.backbone[0].file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"another file")
        with pytest.raises(errors.CheckpointError, match="not the published file"):
            run.convert(row.name, None, str(tmp_path), tmp_path / "out", offline=True)
