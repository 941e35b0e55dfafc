"""Are the files that the tests write laid out as the published ones are described?"""

import argparse
import collections
import io
import json
import pathlib
import pickletools
import zipfile

import layout_entries
import layout_files
import layout_tables
import layout_variants
import pytest
import safetensors
import torch
import torch_oracle
from golden import make_layouts

SHARED = pathlib.Path(__file__).parents[3] / "shared/data/layouts"
MAGIC = {"zip": b"PK\x03\x04", "legacy": b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19"}
WIDTH, CLASSES = 4, 10
# Of head files, whose globals nobody listed.
USUAL = ("collections.OrderedDict", "torch._utils._rebuild_tensor_v2")
HEAD_GLOBALS = {*USUAL, "torch.FloatStorage"}
TYPES = {
    "NoneType": type(None),
    "argparse.Namespace": argparse.Namespace,
    "collections.OrderedDict": collections.OrderedDict,
    "float": float,
    "int": int,
    "str": str,
    "tensor": torch.Tensor,
}
PICKLES = [case for case in layout_variants.chosen() if case[1] != "safetensors"]


def loaded(path):
    """What torch finds in a file, and by storage where it was."""
    places = {}

    def note(storage, location):
        places[storage.data_ptr()] = location
        return storage

    with layout_entries.foreign_modules():
        content = torch.load(path, map_location=note, weights_only=False)
    return content, places


def pickled(path, container):
    """The pickle that describes a file's content."""
    if container == "zip":
        with zipfile.ZipFile(path) as archive:
            (name,) = [n for n in archive.namelist() if n.endswith("/data.pkl")]
            return io.BytesIO(archive.read(name))
    stream = io.BytesIO(path.read_bytes())
    for _ in range(3):  # magic number, protocol, machine
        collections.deque(pickletools.genops(stream), maxlen=0)
    return stream


def global_names(stream):
    operations = pickletools.genops(stream)
    return {arg.replace(" ", ".") for op, arg, _ in operations if op.name == "GLOBAL"}


def assert_tensor(tensor, found, all_found, places):
    shape = layout_entries.scaled(tensor["shape"], WIDTH, CLASSES)
    assert tuple(found.shape) == shape, tensor
    assert str(found.dtype) == f"torch.{tensor['dtype']}", tensor
    assert found.stride() == layout_files.stride(tensor, shape), tensor
    assert found.is_contiguous() == ("stride" not in tensor), tensor
    assert type(found) is (
        torch.nn.Parameter if tensor.get("parameter") else torch.Tensor
    )
    place = found.untyped_storage().data_ptr()
    assert places[place] == tensor.get("device", "cpu"), tensor
    alias = tensor.get("storage_alias")
    if alias:
        assert place == all_found[alias].untyped_storage().data_ptr()


def assert_optimizer(entry, found, tensors, container):
    detail = entry.get("detail")
    moved = layout_tables.parameters(tensors)
    if isinstance(detail, dict):
        moved = [e["momentum_buffer"] for e in detail["state"]["entries"]]
        (group,) = detail["param_groups"]
        assert list(found["param_groups"][0]) == group["keys"]
    shapes = [layout_entries.scaled(t["shape"], WIDTH, CLASSES) for t in moved]
    momenta = [state["momentum_buffer"] for state in found["state"].values()]
    assert [tuple(momentum.shape) for momentum in momenta] == shapes
    keys = found["param_groups"][0]["params"]
    assert list(found["state"]) == keys
    assert (min(keys) > 2**32) == (container == "legacy")


def assert_entry(entry, found, tensors, container):
    kind = entry["type"]
    if "optimizer" in entry["key"]:
        assert_optimizer(entry, found, tensors, container)
    elif kind.startswith("dict"):
        assert type(found) is dict and found
        assert list(found) == entry.get("keys", list(found))
    elif kind in TYPES:
        assert type(found) is TYPES[kind]
    assert "value" not in entry or found == entry["value"]
    if kind == "tensor":
        assert list(found.shape) == entry["shape"]
        assert str(found.dtype) == f"torch.{entry['dtype']}"


@pytest.mark.parametrize("layout, container, variant", PICKLES)
def test_torch_finds_what_is_described(written, layout, container, variant):
    paths = written(layout, container, variant)
    description = layout_variants.describe(layout, variant)
    assert len(paths) == len(description["files"])
    for path, file in zip(paths.values(), description["files"].values(), strict=True):
        assert path.read_bytes().startswith(MAGIC[container])
        content, places = loaded(path)
        kept = file["tensors"]
        if "top_level" in file:
            assert type(content) is dict
            assert list(content) == [entry["key"] for entry in file["top_level"]]
            for entry in file["top_level"]:
                assert_entry(entry, content[entry["key"]], kept, container)
                if "device" in entry:
                    place = content[entry["key"]].untyped_storage().data_ptr()
                    assert places[place] == entry["device"]
        groups = dict.fromkeys(tensor.get("under") for tensor in kept)
        for under in groups:
            group = content if under is None else content[under]
            expected = [tensor for tensor in kept if tensor.get("under") == under]
            assert type(group) is collections.OrderedDict
            assert list(group) == [tensor["key"] for tensor in expected]
            assert group._metadata[""] == {"version": 1}
            for tensor in expected:
                assert_tensor(tensor, group[tensor["key"]], group, places)
        wanted = set(file.get("pickle_globals", HEAD_GLOBALS))
        assert global_names(pickled(path, container)) == wanted


def test_safetensors_hold_what_is_described_in_its_order(state, written):
    layout = "timm_safetensors_flat"
    paths = written(layout, "safetensors")
    (file,) = layout_tables.load(layout)["files"].values()
    start = paths["backbone"].read_bytes()
    header = json.loads(start[8 : 8 + int.from_bytes(start[:8], "little")])
    assert header.pop("__metadata__") == file["metadata"] == {"format": "pt"}
    assert list(header) == [tensor["key"] for tensor in file["tensors"]]
    names = {"float32": "F32", "int64": "I64"}
    for tensor in file["tensors"]:
        found = header[tensor["key"]]
        shape = layout_entries.scaled(tensor["shape"], WIDTH, CLASSES)
        assert tuple(found["shape"]) == shape
        assert found["dtype"] == names[tensor["dtype"]]
    with safetensors.safe_open(paths["backbone"], framework="pt") as opened:
        assert torch.equal(opened.get_tensor("fc.bias"), state["fc.bias"])


@pytest.mark.parametrize("layout", layout_tables.NAMES)
def test_at_full_size_shapes_and_strides_are_the_described_ones(layout):
    for file in layout_tables.load(layout)["files"].values():
        for tensor in file["tensors"]:
            shape = layout_entries.scaled(tensor["shape"], 64, 1000)
            assert list(shape) == tensor["shape"]
            if "stride" in tensor:
                assert list(layout_files.stride(tensor, shape)) == tensor["stride"]


@pytest.mark.parametrize(
    "layout, container, tolerance",
    [
        ("timm_safetensors_flat", "safetensors", 0),
        # What the names of the archive and in the arguments take is not known.
        ("diffusionnoise_namespace", "zip", 10_000),
    ],
)
def test_a_full_size_file_has_the_published_number_of_bytes(
    tmp_path, layout, container, tolerance
):
    state = torch_oracle.ResNet50().state_dict()
    (path,) = layout_files.write(layout, state, tmp_path, container=container).values()
    (file,) = layout_tables.load(layout)["files"].values()
    published = file.get("bytes") or file["approx_bytes"]
    assert abs(path.stat().st_size - published) <= tolerance
    path.unlink()  # 200 MB that pytest would keep for three runs


@pytest.mark.parametrize("layout", layout_tables.NAMES)
def test_the_kept_descriptions_are_the_shared_ones(layout):
    if not SHARED.exists():
        pytest.skip("the project's shared material is not beside the checkout")
    shared = json.loads((SHARED / f"{layout}.json").read_text())
    assert layout_tables.load(layout) == shared
    kept = (layout_tables.GOLDEN / f"{layout}.json").read_text()
    assert make_layouts.text(make_layouts.condense(shared)) + "\n" == kept


def test_all_17_layouts_are_kept():
    assert len(layout_tables.NAMES) == 17
    if SHARED.exists():
        assert {p.stem for p in SHARED.glob("*.json")} == set(layout_tables.NAMES)
