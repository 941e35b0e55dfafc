"""Are the tensors that the reader found in mutated files those that PyTorch finds?

Takes the worker's lines on the standard input and prints a line of JSON for each:
"same", "refused" (PyTorch reads no such file), or how the two differ.
"""

import argparse
import faulthandler
import functools
import json
import pathlib
import pickle
import sys
import types
import warnings

import fuzz_worker
import mutations
import torch

SECONDS = 60  # that pass; PyTorch itself may hang on such files
REBUILD = ("_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_parameter")


class Inert:
    """What stands for all that is neither a tensor nor a dict."""

    def __init__(self, *arguments, **named):
        pass

    def __setstate__(self, state):
        pass

    def __call__(self, *arguments):
        return self


class Unpickler(pickle.Unpickler):
    """PyTorch's own reading, for files whose other classes it would refuse."""

    def find_class(self, module, name):
        if module == "collections" and name == "OrderedDict":
            return super().find_class(module, name)
        if module == "torch._utils" and name in REBUILD:
            return functools.partial(rebuild, getattr(torch._utils, name))
        if module == "torch" and name in vars(torch) and name.endswith("Storage"):
            return getattr(torch, name)
        return type("Inert", (Inert,), {})


def rebuild(function, *arguments):
    """Rebuild a tensor; let the others of a file be compared where PyTorch cannot."""
    try:
        return function(*arguments)
    except (RuntimeError, TypeError, AttributeError):
        return Inert()


RESTRICTED = types.ModuleType("restricted")
RESTRICTED.Unpickler = Unpickler
RESTRICTED.load = lambda stream, **options: Unpickler(stream, **options).load()
READERS = (
    {"weights_only": True},
    {"weights_only": False, "pickle_module": RESTRICTED},
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--bases", type=pathlib.Path, required=True)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    options = parser.parse_args()
    bases = mutations.read_bases(options.bases)
    warnings.simplefilter("ignore")  # PyTorch's, of what is unusual in a file
    for text in sys.stdin:
        line = json.loads(text)
        mutated = mutations.make(bases, options.seed, line["index"])
        options.scratch.write_bytes(mutated.content)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        verdict = compare(options.scratch, mutated.content, line["tensors"])
        faulthandler.cancel_dump_traceback_later()
        print(json.dumps({"index": line["index"], "verdict": verdict}), flush=True)


def compare(path: pathlib.Path, content: bytes, ours: dict[str, str]) -> str:
    """Say how what we found differs from what PyTorch, or the format, says."""
    if content[8:9] == b"{":
        return difference(ours, by_header(content))
    verdict = "refused"
    for reader in READERS:
        try:
            tree = torch.load(path, "cpu", **reader)
        except Exception:  # noqa: BLE001 - a damaged file can raise anything in PyTorch
            continue
        verdict = difference(ours, theirs(tree))
        if verdict == "same":
            break
    return verdict


def theirs(tree) -> dict[str, str]:
    found = {}
    for path, tensor in fuzz_worker.leaves(tree, torch.Tensor):
        tensor = tensor.detach().contiguous()
        raw = tensor.reshape(-1).view(torch.uint8).numpy().tobytes()
        kind = str(tensor.dtype).removeprefix("torch.")
        found[path] = fuzz_worker.describe(kind, tensor.shape, raw)
    return found


def by_header(content: bytes) -> dict[str, str]:
    """Read a .safetensors file by its definition."""
    length = int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8 : 8 + length]), content[8 + length :]
    names = {"F": "float", "I": "int", "U": "uint", "BF": "bfloat", "BOOL": "bool"}
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            kind = entry["dtype"]
            letters = kind.rstrip("0123456789")
            start, stop = entry["data_offsets"]
            dtype = names.get(letters, kind) + kind[len(letters) :]
            found[f"/{name!r:.100}"] = fuzz_worker.describe(
                dtype, entry["shape"], body[start:stop]
            )
    return found


def difference(ours: dict[str, str], others: dict[str, str]) -> str:
    for path, text in ours.items():
        if not text.startswith("refused") and others.get(path) != text:
            return f"{path}: {text}, but {others.get(path)}"
    missing = sorted(others.keys() - ours.keys())
    return f"not found: {missing}" if missing else "same"


if __name__ == "__main__":
    main()
