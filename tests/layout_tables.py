"""What do the 17 kinds of published files hold, tensor by tensor?

`golden/layouts` keeps the project's layout descriptions, condensed to a line a tensor:
key, shape ('-' for none) and what is unusual of it. `golden/make_layouts.py` writes
them.
"""

import functools
import json
import pathlib

GOLDEN = pathlib.Path(__file__).parent / "golden/layouts"
NAMES = tuple(sorted(path.stem for path in GOLDEN.glob("*.json")))
BUFFERS = ("running_mean", "running_var", "num_batches_tracked", "new_mean", "new_std")


@functools.cache
def load(name):
    """Return the description of a layout, as the shared file has it."""
    return expand(json.loads((GOLDEN / f"{name}.json").read_text()))


def expand(condensed):
    layout = dict(condensed)
    layout["files"] = {name: _file(file) for name, file in layout["files"].items()}
    return layout


def parameters(tensors, prefix=""):
    """Return those of the described tensors that an optimizer moves, in order."""
    return [
        tensor
        for tensor in tensors
        if tensor["key"].startswith(prefix)
        and not tensor["key"].endswith(BUFFERS)
        and "storage_alias" not in tensor
    ]


def _file(condensed):
    file = dict(condensed)
    file["tensors"] = [
        _tensor(line, block) for block in file["tensors"] for line in block["lines"]
    ]
    if "top_level" in file:
        file["top_level"] = [_entry(e, file["tensors"]) for e in file["top_level"]]
    return file


def _tensor(line, block):
    key, shape, *fields = line.split()
    key = block.get("prefix", "") + key
    tensor = {"key": key, "shape": _numbers(shape), "dtype": "float32"}
    tensor |= dict(field.split("=") for field in fields)
    tensor |= {name: block[name] for name in ("under", "device") if name in block}
    if "stride" in tensor:
        tensor["stride"] = _numbers(tensor["stride"])
    if "alias" in block:
        alias, original = block["alias"]
        tensor["storage_alias"] = original + key.removeprefix(alias)
    return tensor


def _numbers(text):
    return [] if text == "-" else [int(number) for number in text.split(",")]


def _entry(condensed, tensors):
    """A top-level entry; an optimizer's momenta are listed by their parameters."""
    detail = condensed.get("detail")
    if not isinstance(detail, dict):
        return condensed
    state = dict(detail["state"])
    moved = parameters(tensors, state.pop("momentum_of"))
    state["entries"] = [
        {
            "index": index,
            "momentum_buffer": {"shape": tensor["shape"], "dtype": tensor["dtype"]},
        }
        for index, tensor in enumerate(moved)
    ]
    return {**condensed, "detail": {**detail, "state": state}}
