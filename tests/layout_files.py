"""How does one write a small file that is laid out as a published one?

`write` makes the files of a layout from a state dict with torchvision's names, as the
descriptions in `golden/layouts` have them: entries, order, prefixes, strides, shared
storages, devices. Only the channels are fewer.
"""

import collections
import contextlib
import pathlib
import re
from typing import Any, NamedTuple
from unittest import mock

import layout_entries
import layout_variants
import safetensors.torch
import torch

ROLES = ("backbone", "head")
BATCHES = 450_450  # that a batch norm has seen
# Before torchvision's names.
PREFIXES = ((r"^module\.linear\.", "fc."), (r"^module\.(model\.)?", ""))


class File(NamedTuple):
    """What is to be saved: its content, those of its storages that were on a GPU."""

    name: str
    content: Any
    cuda: set[int]
    metadata: dict[str, str] | None


def write(
    layout, state, folder, *, container, variant=layout_variants.PUBLISHED, names=None
):
    """Write the files of a layout, and return their paths by role.

    Args:
        layout: name of one of `layout_tables.NAMES`.
        state: all 320 entries under torchvision's names, of any width and classes.
        folder: where to write.
        container: 'zip', 'legacy' or 'safetensors'.
        variant: one of `layout_variants.VARIANTS[layout]`.
        names: file names by role, where they shall not be the described ones.
    """
    files = build(layout, state, container=container, variant=variant)
    paths = {}
    for role, file in files.items():
        path = pathlib.Path(folder) / ((names or {}).get(role) or file.name)
        path.parent.mkdir(parents=True, exist_ok=True)
        paths[role] = save(file, path, container)
    return paths


def build(layout, state, *, container, variant=layout_variants.PUBLISHED):
    """Return the files of a layout by role, not yet saved; arguments as of `write`."""
    described = layout_variants.describe(layout, variant)["files"]
    return {
        role: _file(name, description, state, container)
        for role, (name, description) in zip(ROLES, described.items(), strict=False)
    }


def weights(content, description):
    """Return the dict of a built file that holds the network's tensors."""
    under = description["tensors"][0].get("under")
    return content if under is None else content[under]


def save(file, path, container):
    """Save a built file, and return its path."""
    if container == "safetensors":
        safetensors.torch.save_file(dict(file.content), path, file.metadata)
        return path
    with _located(file.cuda), layout_entries.foreign_modules():
        torch.save(
            file.content, path, _use_new_zipfile_serialization=container == "zip"
        )
    return path


def torch_name(tensor):
    """Return torchvision's name of a described tensor, or its own if there is none."""
    name = tensor.get("maps_to", tensor["key"])
    for pattern, replacement in PREFIXES:
        name = re.sub(pattern, replacement, name)
    return name


def stride(tensor, shape):
    """Return the strides of a described tensor at another size.

    The axes lie in memory in the order of the described strides.
    """
    described = tensor.get("stride")
    axes = range(len(shape))
    order = sorted(axes, key=lambda axis: -described[axis]) if described else axes
    strides, step = [0] * len(shape), 1
    for axis in reversed(list(order)):
        strides[axis], step = step, step * shape[axis]
    return tuple(strides)


def _file(name, description, state, container):
    size = state["conv1.weight"].shape[0], state["fc.bias"].shape[0]
    tensors = _tensors(description["tensors"], state, size)
    content = _ordered(description, None, tensors)
    cuda = {
        tensors[tensor["key"]].untyped_storage().data_ptr()
        for tensor in description["tensors"]
        if "device" in tensor
    }
    if "top_level" in description:
        content = {
            entry["key"]: _ordered(description, entry["tensors_under"], tensors)
            if "tensors_under" in entry
            else layout_entries.value(entry, description["tensors"], container, size)
            for entry in description["top_level"]
        }
        # Whatever an optimizer or a meter holds was on the GPU, too.
        cuda |= layout_entries.storages(
            {
                entry["key"]: content[entry["key"]]
                for entry in description["top_level"]
                if "tensors_under" not in entry
            }
        )
    # '(Google Drive)' in a description is no part of the name.
    name = name.partition("(")[0].strip() or "model.pt"
    return File(name, content, cuda, description.get("metadata"))


def _ordered(description, under, tensors):
    """A state dict as torch makes it, with the versions of its modules."""
    state_dict = collections.OrderedDict(
        (tensor["key"], tensors[tensor["key"]])
        for tensor in description["tensors"]
        if tensor.get("under") == under
    )
    modules = {"": None}
    for key in state_dict:
        parts = key.split(".")[:-1]
        modules |= dict.fromkeys(".".join(parts[:end]) for end in range(len(parts) + 1))
    state_dict._metadata = collections.OrderedDict(
        (module, {"version": 1}) for module in modules
    )
    return state_dict


def _tensors(described, state, size):
    generator = torch.Generator().manual_seed(0)
    tensors = {}
    for tensor in sorted(described, key=lambda tensor: "storage_alias" in tensor):
        if "storage_alias" in tensor:
            tensors[tensor["key"]] = tensors[tensor["storage_alias"]].detach()
            continue
        shape = layout_entries.scaled(tensor["shape"], *size)
        values = state.get(torch_name(tensor))
        if values is None:
            values = _unknown(tensor, shape, generator)
        if tuple(values.shape) != shape:
            raise ValueError(
                f"got {tuple(values.shape)} for {tensor}, expected {shape}"
            )
        made = torch.empty_strided(shape, stride(tensor, shape), dtype=values.dtype)
        made.copy_(values)
        parameter = tensor.get("parameter")
        tensors[tensor["key"]] = torch.nn.Parameter(made) if parameter else made
    return tensors


def _unknown(tensor, shape, generator):
    """Values of a tensor that is no part of a ResNet-50."""
    kind = tensor["key"].rpartition(".")[2]
    if kind == "num_batches_tracked":
        return torch.full(shape, BATCHES)
    values = torch.rand(shape, generator=generator) + 0.5
    return values if kind == "running_var" else values - 1


@contextlib.contextmanager
def _located(cuda):
    """Let torch.save write 'cuda:0' for storages that are not really there."""

    def location_tag(storage):
        return "cuda:0" if storage.data_ptr() in cuda else "cpu"

    with mock.patch.object(torch.serialization, "location_tag", location_tag):
        yield
