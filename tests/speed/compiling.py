"""How long do the programs of all corruptions compile, and when they are kept?

Run `python tests/speed/compiling.py`. Two fresh processes, on all cores as the program
uses them, show every corruption of the families imagenet_c_jax and imagenet_cbar_jax
to a batch, with the file of quality 85: the first with an empty folder of caches, the
second with what the first left there. A program's seconds are those of its first batch
less those of its second; processor time counts every thread, and other programs on the
machine little. Goal: all of them in less than 300 s at first.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy as np  # noqa: E402

from biases_jax import compilation_cache, labels, sharding, stimuli  # noqa: E402
from biases_jax.benchmarks import imagenet_c_jax, imagenet_cbar_jax  # noqa: E402
from biases_jax.transforms import compiled_part  # noqa: E402

SIDE = 224
FAMILIES = (imagenet_c_jax, imagenet_cbar_jax)


def main() -> None:
    """Measure in this process, or in two others one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32, help="images a device")
    parser.add_argument("--here", action="store_true", help="in this process")
    arguments = parser.parse_args()
    if arguments.here:
        compilation_cache.keep()
        sharding.use_cores()
        measure(arguments.batch)
        return
    command = [sys.executable, __file__, "--here", f"--batch={arguments.batch}"]
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {compilation_cache.VARIABLE: folder}
        for when in ("nothing kept before", "from what was kept"):
            print(f"{when}, load {os.getloadavg()[0]:.1f}", flush=True)
            subprocess.run(command, env=environment, check=True)


def measure(per_device):
    """Print the seconds of each benchmark that needs a program of its own."""
    start, compiling, seen = time.perf_counter(), [], set()
    batch = stimuli_of_noise(per_device)
    for benchmark in (b for family in FAMILIES for b in family.benchmarks()):
        part = compiled_part(benchmark.transform)
        if part in seen or benchmark.transform.lacks():
            continue
        seen.add(part)
        first, again = (seconds(batch, benchmark) for _ in range(2))
        compiling.append(first - again)
        wall, processor = compiling[-1]
        print(f"{benchmark.name}: {wall:.2f} s ({processor:.2f} s of processor time)")
    wall, processor = sum(compiling)
    whole = time.perf_counter() - start
    print(
        f"{len(compiling)} programs in {wall:.0f} s ({processor:.0f} s of processor "
        f"time), {whole:.0f} s with two batches each",
        flush=True,
    )


def stimuli_of_noise(per_device):
    """Return the stimuli of a batch of images of noise, on all devices."""
    spread = sharding.spread("shard_map")
    count = per_device * len(spread.devices)
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    images = np.random.default_rng(0).random((count, SIDE, SIDE, 3), np.float32)
    ids = labels.example_ids([f"{i}.JPEG" for i in range(count)])
    placed = spread.replicate(key), spread.shard(images), spread.shard(ids)
    return stimuli.Stimuli(*placed, spread)


def seconds(batch, benchmark):
    """Return how long the stimuli of a benchmark take, and their processor time."""
    start = np.array([time.perf_counter(), time.process_time()])
    batch.of(benchmark).block_until_ready()
    return np.array([time.perf_counter(), time.process_time()]) - start


if __name__ == "__main__":
    main()
