"""How fast are photographs decoded, resized and cropped, against a plain PIL loop?

Run `python tests/speed/pipeline.py`. Every line is a ratio to the loop, measured in
the same run, turn about; goals: 0.95 and more per worker, near-linear with workers.
Where other programs share the cores, only the ratio of processor times means much.
"""

import argparse
import functools
import io
import json
import os
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable

import numpy as np
from PIL import Image
from skimage import data

from biases_jax import labels
from biases_jax.sources import catalog, dataset, loader

SIZE = (500, 375)  # the most frequent size of ImageNet's validation images
BATCH_SIZE = 64


def main() -> None:
    """Write photographs, check that pixels are equal, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=320)
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_photographs(pathlib.Path(folder), arguments.images)
        photographs = dataset.open_source(catalog.SOURCES["imagenet"], folder, "")
        check_pixels(photographs)
        measure(photographs, arguments.repetitions)


def write_photographs(root: pathlib.Path, count: int) -> None:
    """Write crops of real photographs, about as large as ImageNet's files."""
    rng = np.random.default_rng(0)
    pictures = [
        Image.fromarray(picture())
        for picture in (data.chelsea, data.coffee, data.astronaut, data.rocket)
    ]
    folder = root / labels.WNIDS[0]
    folder.mkdir()
    for number in range(count):
        picture = pictures[number % len(pictures)]
        left = int(rng.integers(0, picture.width - 400))
        top = int(rng.integers(0, picture.height - 300 + 1))
        crop = picture.crop((left, top, left + 400, top + 300)).resize(SIZE)
        crop.save(folder / f"ILSVRC2012_val_{number + 1:08d}.JPEG", quality=92)
    declaration = {"source": "imagenet", "classes": 1, "examples": count}
    (root / "dataset.json").write_text(json.dumps(declaration))


def plain(encoded: bytes) -> np.ndarray:
    """Decode, resize and crop as torchvision does, in five plain lines."""
    image = Image.open(io.BytesIO(encoded)).convert("RGB")
    short, long = sorted(image.size)
    other = int(256 * long / short)
    size = (256, other) if image.width <= image.height else (other, 256)
    image = image.resize(size, Image.Resampling.BILINEAR)
    left, top = (round((side - 224) / 2.0) for side in size)
    return np.asarray(image.crop((left, top, left + 224, top + 224)))


def plain_loop(photographs: dataset.Dataset) -> None:
    """Read all images, one after the other, into batches."""
    for first in range(0, len(photographs), BATCH_SIZE):
        last = min(first + BATCH_SIZE, len(photographs))
        np.stack([plain(photographs.encoded(i)) for i in range(first, last)])


def load(photographs: dataset.Dataset, workers: int) -> None:
    """Read all images through the loader."""
    for _ in loader.Loader(photographs, workers).batches(
        [(0, len(photographs))], BATCH_SIZE
    ):
        pass


def check_pixels(photographs: dataset.Dataset) -> None:
    """Compare every pixel of the loader's with the loop's."""
    for first, last, batch in loader.Loader(photographs, 2).batches(
        [(0, len(photographs))], BATCH_SIZE
    ):
        expected = [plain(photographs.encoded(i)) for i in range(first, last)]
        np.testing.assert_array_equal(batch["image"][: last - first], expected)
    print(f"pixels of {len(photographs)} images: equal")


def measure(photographs: dataset.Dataset, repetitions: int) -> None:
    """Print images/s, processor time and ratios: medians over turns."""
    cores = len(os.sched_getaffinity(0))
    counts = [count for count in (1, 2, 4, 8, 16) if count <= max(cores, 2)]
    runs = {0: functools.partial(plain_loop, photographs)}
    runs |= {count: functools.partial(load, photographs, count) for count in counts}
    wall = in_turns(runs, repetitions, time.perf_counter)
    processor = in_turns(runs, repetitions, time.process_time)
    rate = {count: len(photographs) / seconds for count, seconds in wall.items()}
    cost = {c: 1000 * s / len(photographs) for c, s in processor.items()}
    print(
        f"plain PIL loop: {rate[0]:.0f} images/s, {cost[0]:.2f} ms of processor an "
        f"image ({cores} cores, load {os.getloadavg()[0]:.1f})"
    )
    for count in counts:
        print(
            f"loader, workers {count}: {rate[count]:.0f} images/s, "
            f"{rate[count] / rate[0]:.2f}x of the loop, "
            f"{rate[count] / count / rate[0]:.2f}x per worker, "
            f"{rate[count] / count / rate[1]:.2f}x of linear; "
            f"{cost[0] / cost[count]:.2f}x by processor time"
        )


def in_turns(
    runs: dict[int, Callable[[], None]],
    repetitions: int,
    clock: Callable[[], float],
) -> dict[int, float]:
    """Return each run's median seconds by a clock, all runs taking turns."""
    seconds: dict[int, list[float]] = {count: [] for count in runs}
    for _ in range(repetitions):
        for count, run in runs.items():
            start = clock()
            run()
            seconds[count].append(clock() - start)
    return {count: statistics.median(values) for count, values in seconds.items()}


if __name__ == "__main__":
    main()
