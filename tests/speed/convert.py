"""How long does a conversion take, and how much memory, beside reading with PyTorch?

python tests/speed/convert.py [--rounds 5]

Prints, for a file of a ResNet-50 in each container, the time of a conversion beyond the
imports, its ratio to PyTorch's `torch.load` of the same file in the same round, and the
peak of memory above the imports as a multiple of the file's size. Each measurement is a
process of its own; they are interleaved, and medians are printed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np
import safetensors.torch
import torch

ROOT = pathlib.Path(__file__).parents[2]
# Not this file's folder, where it would hide the package convert.
sys.path[:1] = [str(ROOT), str(ROOT / "tests")]

import small_study  # noqa: E402

from convert import mapping  # noqa: E402

FILES = ("zip", "legacy", "with optimizer", "safetensors")
CHILD = """
import json, pathlib, sys, time
path, out = sys.argv[1:]
{imports}
pathlib.Path("/proc/self/clear_refs").write_text("5")  # forget the imports' peak
def status(key):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))
before, start = status("VmRSS"), time.perf_counter()
{call}
seconds = time.perf_counter() - start
print(json.dumps([seconds, status("VmHWM") - before]))
"""
TASKS = {
    "convert": CHILD.format(
        imports="from convert import run\nfrom biases_jax.models import checkpoints",
        call='run.convert("mine", path, "", out)',
    ),
    "torch.load": CHILD.format(
        imports="import torch, safetensors.torch",
        call=(
            "load = safetensors.torch.load_file if path.endswith('s') else torch.load\n"
            "load(path)"
        ),
    ),
}


def main():
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        for name, path in _files(pathlib.Path(folder)).items():
            found = {task: [] for task in TASKS}
            for index in range(rounds):
                for task in TASKS:
                    found[task].append(_measure(task, path, f"{folder}/out{index}"))
            _print(name, path.stat().st_size, found)


def _files(folder: pathlib.Path) -> dict[str, pathlib.Path]:
    generator = np.random.default_rng(0)
    state = {
        name: torch.from_numpy(small_study.random_tensor(generator, name, leaf.shape))
        for name, leaf in mapping.leaves().items()
    }
    optimizer = {name: torch.ones_like(value) for name, value in state.items()}
    paths = {name: folder / name.replace(" ", "_") for name in FILES}
    torch.save(state, paths["zip"])
    torch.save(state, paths["legacy"], _use_new_zipfile_serialization=False)
    torch.save({"state_dict": state, "optimizer": optimizer}, paths["with optimizer"])
    safetensors.torch.save_file(state, paths["safetensors"])
    return paths


def _measure(task: str, path: pathlib.Path, out: str) -> list[float]:
    command = [sys.executable, "-c", TASKS[task], str(path), out]
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def _print(name: str, size: int, found: dict[str, list[list[float]]]):
    seconds = {task: [second for second, _ in runs] for task, runs in found.items()}
    peaks = {task: max(peak for _, peak in runs) / size for task, runs in found.items()}
    ratios = [a / b for a, b in zip(*seconds.values(), strict=True)]
    ours, theirs = (statistics.median(values) for values in seconds.values())
    print(
        f"{name:14} {size / 1e6:5.0f} MB: convert {ours:.2f} s "
        f"({min(seconds['convert']):.2f} to {max(seconds['convert']):.2f}), "
        f"torch.load {theirs:.2f} s, ratio {statistics.median(ratios):.1f}; peak above "
        f"the imports {peaks['convert']:.1f}x the file, torch.load "
        f"{peaks['torch.load']:.1f}x"
    )


if __name__ == "__main__":
    main()
