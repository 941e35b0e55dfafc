"""Which honest files does the fuzz mutate? Writes them to a folder; needs torch.

python tests/convert/fuzz_bases.py FOLDER
"""

import argparse
import collections
import pathlib
import sys

import numpy as np
import safetensors.torch
import torch


def network():
    """Return a dozen tensors of a state dict, with every element different."""
    shapes = {
        "conv1.weight": (2, 3, 7, 7),
        "bn1.weight": (2,),
        "bn1.bias": (2,),
        "bn1.running_mean": (2,),
        "bn1.running_var": (2,),
        "layer1.0.conv1.weight": (2, 2, 1, 1),
        "layer1.0.conv2.weight": (2, 2, 3, 3),
        "layer1.0.bn2.weight": (2,),
        "fc.weight": (5, 8),
        "fc.bias": (5,),
    }
    state, first = collections.OrderedDict(), 0
    for name, shape in shapes.items():
        size = int(np.prod(shape))
        values = torch.arange(first, first + size, dtype=torch.float32)
        state[name] = values.reshape(shape) / 7
        first += size
    state["bn1.num_batches_tracked"] = torch.tensor(5004)
    return state


def training():
    """Return what a training script saves: optimizer, arguments, numpy scalars."""
    module = torch.nn.Linear(3, 2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.arange(parameter.numel()).reshape(parameter.shape))
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)
    module(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return {
        "epoch": 90,
        "arch": "resnet50",
        "state_dict": collections.OrderedDict(
            (f"module.{name}", value) for name, value in network().items()
        ),
        "model": module.state_dict(),
        "parameter": torch.nn.Parameter(torch.arange(4.0)),
        "optimizer": optimizer.state_dict(),
        "args": argparse.Namespace(lr=0.1, dist_url="env://", layers=[3, 4, 6, 3]),
        "best_acc1": np.float64(76.15),
        "history": [(1, 0.5), (2, 0.25), None, True],
    }


def views():
    """Return aliases, strided, transposed, empty and 0-d tensors of every type."""
    flat = torch.arange(96, dtype=torch.float32)
    tensors = {
        "flat": flat,
        "alias": flat,
        "transposed": flat.reshape(8, 12).T,
        "strided": flat[3::5],
        "window": flat.reshape(8, 12)[2:5, 1:7],
        "last": flat.reshape(2, 3, 4, 4).to(memory_format=torch.channels_last),
        "scalar": flat[17],
        "empty": torch.zeros(0, 3),
    }
    kinds = (torch.float16, torch.bfloat16, torch.float64, torch.uint8, torch.int8)
    kinds += (torch.int16, torch.int32, torch.int64, torch.bool)
    return tensors | {str(kind): torch.arange(6).to(kind) for kind in kinds}


def write(folder: pathlib.Path) -> None:
    """Write each content in each container."""
    contents = {"network": network(), "training": training(), "views": views()}
    for name, content in contents.items():
        torch.save(content, folder / f"{name}.zip")
        old = folder / f"{name}.legacy"
        torch.save(content, old, _use_new_zipfile_serialization=False)
    torch.save(training(), folder / "protocol4.zip", pickle_protocol=4)
    for name in ("network", "views"):
        copies = {k: v.clone().contiguous() for k, v in contents[name].items()}
        path = folder / f"{name}.safetensors"
        safetensors.torch.save_file(copies, path, {"format": "pt"})


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
