"""How fast are stimuli made, all conditions of a family together, on one core?

Run `python tests/speed/stimuli.py`. It keeps to one core and one thread; ours runs as
the program does, compiled, float32, a batch of photographs at a time, what conditions
share prepared once. NumPy's statements of the same formulas take turns with it in one
process: each condition by itself from the image, as the paper's code has it, and, where
it is another program, with the shared part computed once; their noise is drawn before,
ours in the time that is measured. Figures are stimuli a second of processor time (so
that other programs on the core count little), medians over rounds; ratios are of turns
next to each other, with their range. Goals against the paper's code, whose figures were
measured on one core of another day: 10x for the critical band, 3x for the filters.
"""

import argparse
import functools
import os
import pathlib
import statistics
import sys
import time
import zlib

CORE = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax  # noqa: E402
import numpy as np  # noqa: E402
import photographs  # noqa: E402
from scipy import fft  # noqa: E402

sys.path.append(str(pathlib.Path(__file__).parents[1]))

import masking_reference as reference  # noqa: E402

from biases_jax import filters, labels, sharding, stimuli  # noqa: E402
from biases_jax.benchmarks import critical_band, spectral  # noqa: E402
from biases_jax.masking import stimulus  # noqa: E402

SIDE = photographs.SIDE
OURS = "ours"
PAPERS_CODE = {  # images/s on one core, fastest first
    "critical band": (130, 33),  # SD up to 0.02; SD 0.16 of bands 3 to 6
    "band-pass": (175,),
}


def main() -> None:
    """Check that all make the same stimuli, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    images = photographs.crops(arguments.batch).astype(np.float32) / np.float32(255)
    print(
        f"batch {arguments.batch}, one core, one thread, load {os.getloadavg()[0]:.1f}"
    )
    for name, (benchmarks, peers) in families().items():
        tasks = {OURS: functools.partial(ours, engine(images), benchmarks)}
        tasks |= {
            peer: functools.partial(function, images, benchmarks)
            for peer, function in peers.items()
        }
        check(name, tasks, len(benchmarks))
        report(name, timed(tasks, arguments.rounds), len(images) * len(benchmarks))


def families():
    """Return the conditions and peers of each family by its name."""
    filtering = list(spectral.benchmarks())
    half = len(filtering) // 2
    full = {"NumPy float64, each by itself": full_spectra}
    shared = {
        "SciPy float32, shared spectrum": functools.partial(half_spectra, np.float32),
        "SciPy float64, shared spectrum": functools.partial(half_spectra, np.float64),
    }
    masking = {
        "NumPy float64, each by itself": masked_alone,
        "NumPy float64, shared noise": functools.partial(masked_shared, np.float64),
        "NumPy float32, shared noise": functools.partial(masked_shared, np.float32),
    }
    return {
        "critical band": (list(critical_band.benchmarks()), masking),
        "band-pass": (filtering[:half], full | shared),
        "clean filters": (filtering[half:], shared),
    }


def engine(images):
    """Return a function to the stimuli of a new batch of these images."""
    spread = sharding.spread("shard_map")
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    ids = labels.example_ids([f"{i}.JPEG" for i in range(len(images))])
    placed = spread.replicate(key), spread.shard(images), spread.shard(ids)
    return lambda: stimuli.Stimuli(*placed, spread)


def ours(of_batch, benchmarks):
    """Yield the stimuli of each condition, preparation included."""
    batch = of_batch()
    for benchmark in benchmarks:
        yield batch.of(benchmark).block_until_ready()


@functools.cache
def noise(index):
    """Return the white noise that our stimuli of an image have, float64."""
    stream = jax.numpy.uint32(zlib.crc32(b"critical_band"))
    key = jax.random.key_data(jax.random.key(0, impl=stimuli.PRNG))
    own = jax.numpy.asarray(labels.example_ids([f"{index}.JPEG"])[0])
    key = stimuli.example_key(key, stream, own)
    return np.asarray(stimulus.WhiteNoise().sample(key, (SIDE, SIDE))["normal"], float)


def grey(dtype, image):
    """Return the grey image of low contrast."""
    pixels = np.round(image * 255).astype(np.int32)
    luma = (pixels @ np.array(stimulus.LUMA, np.int32) + 2**15) >> 16
    return reference.grey(luma.astype(dtype)).astype(dtype)


def three(field):
    """Return three equal channels, written out as a network needs them."""
    return np.ascontiguousarray(np.repeat(field[..., None], 3, axis=-1), np.float32)


def masked_alone(images, benchmarks):
    """Yield stimuli for which bands and grey image are made anew in each condition."""
    for transform in (b.transform for b in benchmarks):
        shown = []
        for index, image in enumerate(images):
            total = grey(float, image)
            if transform.sd:
                total = reference.masked(
                    total, noise(index), transform.frequency, transform.sd
                )
            shown.append(reference.inside(total))
        yield three(np.stack(shown))


def masked_shared(dtype, images, benchmarks):
    """Yield stimuli of one grey image and one set of bands for all conditions."""
    greys = np.stack([grey(dtype, image) for image in images])
    bands = [reference.bands(noise(i).astype(dtype)) for i in range(len(images))]
    for fields in bands:
        scale = reference.rms(fields[0])
        for band in fields:
            band *= scale / reference.rms(band)
    for transform in (b.transform for b in benchmarks):
        band = np.stack([fields[6 - transform.frequency] for fields in bands])
        yield three(reference.inside(greys + dtype(transform.sd) * band))


def full_spectra(images, benchmarks):
    """Yield filtered images by whole complex spectra, as the paper's code has them."""
    for transform in (b.transform for b in benchmarks):
        low = isinstance(transform, spectral.LowPass)
        fraction = transform.cutoff if low else 1 - transform.cutoff
        ry, rx = filters.half_widths(fraction, (SIDE, SIDE))
        mask, middle = np.zeros((SIDE, SIDE, 1)), SIDE // 2
        mask[middle - ry : middle + ry, middle - rx : middle + rx] = 1
        mask = np.fft.ifftshift(mask if low else 1 - mask, axes=(0, 1))
        spectra = np.fft.fft2(images.astype(float), axes=(1, 2))
        back = np.fft.ifft2(spectra * mask, axes=(1, 2)).real
        yield np.clip(back, 0, 1).astype(np.float32)


def half_spectra(dtype, images, benchmarks):
    """Yield filtered images of one real transform for all conditions."""
    channels_first = np.ascontiguousarray(np.moveaxis(images, -1, 1), dtype)
    spectra = fft.rfft2(channels_first)
    for transform in (b.transform for b in benchmarks):
        gain = transform.parameters((SIDE, SIDE, 3))["gain"].astype(dtype)
        back = np.clip(fft.irfft2(spectra * gain, (SIDE, SIDE)), 0, 1)
        yield np.ascontiguousarray(np.moveaxis(back, 1, -1), np.float32)


def check(name, tasks, conditions):
    """Refuse to compare what differs; this also compiles and warms up.

    All but some of the pixels that are brought inside [0, 1] must agree: those within
    rounding of a limit, and those that are drawn anew, which NumPy's statements leave.
    """
    found = [task() for task in tasks.values()]
    for number, (expected, *others) in enumerate(zip(*found, strict=True)):
        for peer, shown in zip(list(tasks)[1:], others, strict=True):
            agree = np.abs(np.asarray(expected) - shown) <= 1e-5
            wrong = 1 - np.mean(agree)
            if not wrong < 1e-4:
                raise SystemExit(f"{name}, condition {number}, {peer}: {wrong:.2%} off")
    print(f"{name}: stimuli of {conditions} conditions agree")


def timed(tasks, rounds):
    """Return each task's processor seconds, one of each a round."""
    seconds = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            for _ in task():
                pass
            seconds[name].append(time.process_time() - start)
    return seconds


def report(name, seconds, count):
    """Print stimuli/s of each task, and ratios of ours to the others'."""
    rate = count / statistics.median(seconds[OURS])
    print(f"{name}, {OURS}: {rate:.0f} stimuli/s")
    for peer, own in list(seconds.items())[1:]:
        ratios = [a / b for a, b in zip(own, seconds[OURS], strict=True)]
        print(
            f"{name}, {OURS}: {statistics.median(ratios):.1f}x ({min(ratios):.1f} to "
            f"{max(ratios):.1f}) of {peer} ({count / statistics.median(own):.0f}/s)"
        )
    for figure in PAPERS_CODE.get(name, ()):
        print(f"{name}, {OURS}: {rate / figure:.1f}x of the paper's code at {figure}/s")


if __name__ == "__main__":
    main()
