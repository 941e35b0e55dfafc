"""How long does the doctor take over 50,000 files, beside a plain walk and PIL decode?

Run `python tests/speed/doctor.py`. It writes 50,000 JPEGs with the published names into
a temporary folder, looks at them with the doctor, and with `os.walk` and Pillow (as
many sampled files, one thread), turn about, and prints the seconds of each. Goal: under
30 s for the doctor, listing and sampled decode.
"""

import argparse
import io
import os
import pathlib
import tempfile
import time

import numpy as np
from etils import epath
from PIL import Image

from biases_jax import benchmarks, labels
from biases_jax.config import EvaluateConfig
from biases_jax.doctor import sources
from biases_jax.sources import catalog, preprocess, validation


def main() -> None:
    """Write the files, check that the doctor finds nothing, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        for _ in range(arguments.rounds):
            start = time.perf_counter()
            doctor(folder, arguments.sample)
            middle = time.perf_counter()
            plain(folder, arguments.sample)
            end = time.perf_counter()
            print(f"doctor {middle - start:.2f} s, plain {end - middle:.2f} s")


def write(root: pathlib.Path) -> None:
    """Write the validation set's files, each with a picture of the usual size."""
    buffer = io.BytesIO()
    blocks = np.random.default_rng(0).integers(0, 256, (15, 20, 3), dtype=np.uint8)
    Image.fromarray(blocks).resize((500, 375)).save(buffer, "JPEG")
    for wnid in labels.WNIDS:
        (root / wnid).mkdir()
    for number, label in enumerate(validation.classes().tolist(), 1):
        name = f"ILSVRC2012_val_{number:08d}.JPEG"
        (root / labels.WNIDS[label] / name).write_bytes(buffer.getvalue())


def doctor(folder: str, sample: int) -> None:
    """Look at the tree as the stage does."""
    found = sources.examine(
        catalog.SOURCES["imagenet"],
        benchmarks.select(("natural/imagenet",)),
        EvaluateConfig(data_dir=folder),
        epath.Path(folder) / "none",
        sample,
        lambda count: None,
    )
    if found.findings:
        raise ValueError(f"got {found.findings}, expected none")


def plain(folder: str, sample: int) -> None:
    """List the tree and decode as many of its files, in one thread."""
    files = [
        os.path.join(top, name) for top, _, names in os.walk(folder) for name in names
    ]
    for path in sorted(files)[:: len(files) // sample]:
        preprocess.decode(pathlib.Path(path).read_bytes(), "pil_bilinear_256_224")


if __name__ == "__main__":
    main()
