"""What do training scripts save beside the weights?

Everything is of the types that the scripts leave: dicts of plain values, tensors, and
where a description says so a class or function of another package.
"""

import argparse
import contextlib
import functools
import sys
import types

import layout_tables
import numpy as np
import torch

RATE = 0.1
IDENTITY = 139_872_405_311_368  # where CPython might have put the first parameter
VALUES = {  # of state dicts, by their keys
    "_get_lr_called_within_step": False,
    "_growth_tracker": 1203,
    "_last_lr": [RATE],
    "_step_count": 91,
    "backoff_factor": 0.5,
    "base_lrs": [RATE],
    "batch_size": 256,
    "dampening": 0,
    "eta_min": 0,
    "gamma": 0.1,
    "growth_factor": 2.0,
    "growth_interval": 2000,
    "last_epoch": 90,
    "lr": RATE,
    "momentum": 0.9,
    "nesterov": False,
    "scale": 65536.0,
    "step_size": 30,
    "T_max": 100,
    "time_per_epoch": 1834.25,
    "verbose": False,
    "weight_decay": 1e-4,
}
SCHEDULE = ("base_lrs", "last_epoch", "_step_count", "verbose", "_last_lr")
KEYS = {
    "dict (StepLR state_dict) or None": ("step_size", "gamma", *SCHEDULE),
    "dict (CosineAnnealingLR state_dict)": ("T_max", "eta_min", *SCHEDULE),
}
GROUP = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "params")
DILL = "dill._dill._create_function"
OLD_SCALAR = "numpy.core.multiarray.scalar"


def scaled(shape, width, classes):
    """Return the shape that a described tensor has in a smaller network.

    Channels go with the width; colours and kernel sizes stay.
    """
    if len(shape) not in (1, 2, 4):
        return tuple(shape)
    channels = [
        {3: 3, 1000: classes}.get(size, size * width // 64) for size in shape[:2]
    ]
    return (*channels, *shape[2:])


def value(entry, tensors, container, size):
    """Return what the description of a top-level entry stands for.

    Args:
        entry: its description.
        tensors: the descriptions of the file's tensors.
        container: 'legacy' files have Python's identities as an optimizer's keys.
        size: width and number of classes of the network.
    """
    kind = entry["type"]
    if "SGD" in kind or (kind == "dict" and entry["key"] == "optimizer"):
        return _optimizer(entry.get("detail"), tensors, container, size)
    if kind.startswith("dict"):
        return {key: VALUES[key] for key in entry.get("keys") or KEYS[kind]}
    if kind == "tensor":
        return torch.full(entry["shape"], 76.125, dtype=getattr(torch, entry["dtype"]))
    if kind == "argparse.Namespace":
        return argparse.Namespace(
            lr=RATE, model="resnet50", amp=True, output_dir=None, milestones=[30, 60]
        )
    if kind == DILL:
        return {"last_epoch": 90, "lr_lambdas": [_Foreign(DILL, b"\xe3\x01", {})]}
    plain = {"int": 90, "float": 76.125, "str": "resnet50", "NoneType": None}
    return entry.get("value", plain[kind])


def storages(content):
    """Return the places of all tensors in plain containers."""
    if isinstance(content, torch.Tensor):
        return {content.untyped_storage().data_ptr()}
    if isinstance(content, dict):
        content = content.values()
    elif not isinstance(content, list):
        return set()
    return {place for part in content for place in storages(part)}


def _optimizer(detail, tensors, container, size):
    """The state dict of SGD after its first step."""
    if isinstance(detail, dict):
        moved = [entry["momentum_buffer"] for entry in detail["state"]["entries"]]
        (group,) = detail["param_groups"]
    else:
        moved, group = layout_tables.parameters(tensors), {"keys": GROUP}
    keys = [
        IDENTITY + 72 * index if container == "legacy" else index
        for index in range(len(moved))
    ]
    state = {
        key: {"momentum_buffer": torch.full(scaled(tensor["shape"], *size), 0.5)}
        for key, tensor in zip(keys, moved, strict=True)
    }
    values = {**VALUES, "params": keys, "lr": _rate(group.get("lr"))}
    return {
        "state": state,
        "param_groups": [{key: values[key] for key in group["keys"]}],
    }


def _rate(kind):
    if kind is None:
        return RATE
    scalar = np.float64(RATE)
    if kind != OLD_SCALAR:
        return scalar
    return _Foreign(kind, scalar.dtype, scalar.tobytes())


class _Foreign:
    """Pickled as a call of a function that is not there, as old files have it."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        function, arguments = self.call
        return _named(function), arguments


@functools.cache
def _named(full_name):
    def function(*arguments):
        return arguments

    function.__module__, _, function.__name__ = full_name.rpartition(".")
    function.__qualname__ = function.__name__
    return function


@contextlib.contextmanager
def foreign_modules():
    """Let pickle find the functions of old NumPy and of dill."""
    before = dict(sys.modules)
    for full_name in (OLD_SCALAR, DILL):
        function = _named(full_name)
        module = types.ModuleType(function.__module__)
        setattr(module, function.__name__, function)
        sys.modules[function.__module__] = module
        sys.modules.setdefault(full_name.partition(".")[0], module)
    try:
        yield
    finally:
        for name in (OLD_SCALAR, DILL):
            for module in (name.rpartition(".")[0], name.partition(".")[0]):
                if module in before:
                    sys.modules[module] = before[module]
                else:
                    sys.modules.pop(module, None)
