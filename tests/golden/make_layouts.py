"""Condense the shared descriptions of the layouts.

In `tests`: python -m golden.make_layouts SHARED, which is the folder of the project's
shared material. Nothing is lost: `layout_tables.expand` gives back what was condensed.
"""

import itertools
import json
import os
import pathlib
import sys

import layout_tables

MOMENTA = ("", "module.model.", "module.fc.", "module.linear.")
COLUMNS = 88


def condense(layout):
    """Return a layout with a line for each tensor, and momenta without their shapes."""
    files = {name: _file(file) for name, file in layout["files"].items()}
    return {**layout, "files": files}


def text(value, indent=0):
    """Return JSON in lines of at most 88 columns where that is possible."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) + indent <= COLUMNS or not isinstance(value, (dict, list)):
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(k)}: {text(v, indent + 1)}" for k, v in value.items()]
        start, end = "{}"
    else:
        parts, (start, end) = [text(item, indent + 1) for item in value], "[]"
    return f"{start}\n{pad}" + f",\n{pad}".join(parts) + f"\n{' ' * indent}{end}"


def _file(file):
    condensed = dict(file)
    runs = itertools.groupby(file["tensors"], _shared)
    condensed["tensors"] = [_block(dict(shared), list(run)) for shared, run in runs]
    if "top_level" in file:
        condensed["top_level"] = [
            _entry(entry, file["tensors"]) for entry in file["top_level"]
        ]
    return condensed


def _block(shared, tensors):
    common = os.path.commonprefix([tensor["key"] for tensor in tensors])
    prefix = common[: common.rfind(".") + 1]
    if prefix:
        shared["prefix"] = prefix
    return {**shared, "lines": [_line(tensor, prefix) for tensor in tensors]}


def _shared(tensor):
    """What a tensor has in common with its neighbours."""
    shared = [(name, tensor[name]) for name in ("under", "device") if name in tensor]
    if "storage_alias" in tensor:
        key, original = tensor["key"], tensor["storage_alias"]
        same = 0
        while key[-same - 1 :] == original[-same - 1 :]:
            same += 1
        same = len(key[-same:].partition(".")[2]) if key[-same] != "." else same - 1
        shared.append(("alias", (key[:-same], original[:-same])))
    return tuple(shared)


def _line(tensor, prefix):
    parts = [tensor["key"].removeprefix(prefix), _numbers(tensor["shape"])]
    if tensor["dtype"] != "float32":
        parts.append(f"dtype={tensor['dtype']}")
    if "maps_to" in tensor:
        parts.append(f"maps_to={tensor['maps_to']}")
    if "stride" in tensor:
        parts.append(f"stride={_numbers(tensor['stride'])}")
    return " ".join(parts)


def _numbers(values):
    return ",".join(map(str, values)) or "-"


def _entry(entry, tensors):
    if not isinstance(entry.get("detail"), dict):
        return entry
    state = dict(entry["detail"]["state"])
    shapes = [moved["momentum_buffer"]["shape"] for moved in state.pop("entries")]
    state["momentum_of"] = next(
        prefix
        for prefix in MOMENTA
        if [t["shape"] for t in layout_tables.parameters(tensors, prefix)] == shapes
    )
    return {**entry, "detail": {**entry["detail"], "state": state}}


def main(shared):
    here = pathlib.Path(__file__).parent / "layouts"
    for path in sorted(pathlib.Path(shared).glob("data/layouts/*.json")):
        condensed = condense(json.loads(path.read_text()))
        (here / path.name).write_text(text(condensed) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
