"""How fast are images corrupted on one core, by each corruption and severity?

Run `python tests/speed/corruptions.py`; it takes some minutes. It keeps to one core and
one thread; ours runs compiled, float32, a batch of photographs at a time, its draws
made in the time that is measured. Statements of the same formulas in NumPy and SciPy,
float64 (of pixelate and JPEG files: Pillow itself), take turns with it in one process,
an image at a time, from the draws that ours made for it, after NumPy has drawn as many
of the kind. Those of glass_blur, defocus_blur, elastic_transform and spatter are plain
rather than quick, loops over pixels or over all displacements; `--live=quick` leaves
them out. All are of the original flavour, frost of synthetic textures, which cost the
same.

Figures are images a second of processor time (so that other programs on the core count
little), medians over rounds; ratios are of turns next to each other. The reference's
figures were measured on one core of another day. Goals: 12x of the reference for
ImageNet-C's grid as a whole and 1.5x in the geometric mean over its cells, 100x for
ImageNet-C-bar's; nothing below 0.7x, but pixelate and JPEG files at 0.2x of Pillow. The
file of quality 85 that follows every corruption in use is apart.
"""

import argparse
import functools
import os
import pathlib
import statistics
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

CORE = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = (
    "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import jax  # noqa: E402
import numpy as np  # noqa: E402
import photographs  # noqa: E402
from scipy import stats  # noqa: E402

# In the place of this script's folder, for which the script is what it imports.
sys.path[0] = str(pathlib.Path(__file__).parents[1])

from corruptions import (  # noqa: E402
    reference_blurs,
    reference_cbar,
    reference_fog,
    reference_pointwise,
    reference_snow,
    reference_spatter,
)

from biases_jax import stimuli  # noqa: E402
from biases_jax.corruptions import (  # noqa: E402
    corrupted,
    frost,
    jpeg,
    names,
    registry,
    synthetic_frost,
)
from biases_jax.transforms import compiled_part  # noqa: E402

PLAIN = ("glass_blur", "defocus_blur", "elastic_transform", "spatter")
PILLOWS = ("pixelate", "jpeg_compression")
TAKE_DRAWS = ("fog", *names.IMAGENET_CBAR)  # as one dictionary
FILE = f"file of quality {corrupted.QUALITY}"
# Images/s of imagecorruptions 1.1.2 at severities 1 to 5, on one core of an AMD EPYC.
IMAGENET_C = {
    "gaussian_noise": (178, 151, 170, 181, 121),
    "shot_noise": (51, 49, 60, 68, 80),
    "impulse_noise": (246, 227, 219, 202, 186),
    "defocus_blur": (163, 132, 142, 145, 158),
    "glass_blur": (0.64, 2.00, 0.64, 0.49, 0.96),
    "motion_blur": (182, 129, 129, 130, 97),
    "zoom_blur": (8.86, 8.39, 13, 11, 12),
    "snow": (99, 102, 100, 94, 88),
    "frost": (101, 99, 119, 103, 141),
    "fog": (243, 225, 226, 227, 219),
    "brightness": (37, 37, 36, 36, 37),
    "contrast": (368, 365, 371, 374, 381),
    "elastic_transform": (36, 36, 35, 36, 42),
    "pixelate": (2268, 2404, 2321, 2673, 2820),
    "jpeg_compression": (1149, 1230, 1311, 1563, 1494),
    "speckle_noise": (164, 164, 209, 240, 216),
    "gaussian_blur": (587, 398, 246, 233, 163),
    "spatter": (157, 154, 136, 251, 160),
    "saturate": (38, 37, 41, 37, 37),
}
# Seconds an image of augmentation-corruption's code at severities 1 and 5, likewise;
# those between are taken to be their mean.
IMAGENET_CBAR = {
    "blue_noise_sample": (0.20, 0.19),
    "brownish_noise": (0.87, 0.64),
    "caustic_refraction": (7.34, 8.20),
    "checkerboard_cutout": (0.24, 0.25),
    "cocentric_sine_waves": (0.26, 0.26),
    "inverse_sparkles": (1.50, 1.20),
    "perlin_noise": (2.12, 2.61),
    "plasma_noise": (2.77, 2.40),
    "single_frequency_greyscale": (0.03, 0.03),
    "sparkles": (7.10, 6.18),
}
GRIDS = {
    "ImageNet-C": (IMAGENET_C, "12x, and 1.5x in the geometric mean"),
    "ImageNet-C-bar": (IMAGENET_CBAR, "100x"),
}
# Shares of values that may be a level off, and of few that may be more: where the
# reference's float64 falls short of a whole level, and of float32 everywhere.
LIMITS = {
    "brightness": 3e-2,
    "saturate": 2e-1,
    "elastic_transform": 2e-2,
    "spatter": 1e-2,
    "caustic_refraction": 1e-2,
}
LIMIT = 3e-3


class Cell(NamedTuple):
    """What is measured: ours for a batch, and the statement for one of its images."""

    name: str
    severity: int
    ours: Callable[[], jax.Array]
    stated: Callable[[int], Callable[[], np.ndarray]] | None  # by the image's number


def main() -> None:
    """Check that all make the same images, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="names, by commas")
    parser.add_argument("--live", choices=("all", "quick"), default="all")
    arguments = parser.parse_args()
    print(
        f"batch {arguments.batch}, one core, one thread, load {os.getloadavg()[0]:.1f}"
    )
    skipped = PLAIN if arguments.live == "quick" else ()
    if skipped:
        print(f"no statements of: {', '.join(skipped)}")
    chosen = tuple(filter(None, arguments.only.split(",")))
    every = list(cells(photographs.crops(arguments.batch), chosen, skipped))
    for cell in every:
        check(cell)
    print(f"images of {len(every)} cells agree")
    report(timed(every, arguments.rounds, arguments.batch))


def cells(images, chosen, skipped):
    """Yield all cells, or those of the chosen names."""
    keys = jax.random.split(jax.random.key(0, impl=stimuli.PRNG), len(images))
    for name in (*names.NINETEEN, *names.IMAGENET_CBAR):
        for severity in names.SEVERITIES if name in (chosen or registry.NAMES) else ():
            corruption = registry.get(name, severity)
            if name == "frost":
                corruption = frost.Frost(severity, textures=synthetic_frost.NAME)
            ours = functools.partial(
                compiled(compiled_part(corruption)),
                keys,
                jax.numpy.asarray(images),
                jax.device_put(corruption.parameters(images.shape[1:])),
            )
            live = functools.partial(stated, corruption, name, keys, images)
            yield Cell(name, severity, ours, None if name in skipped else live)
    if not chosen or FILE in chosen or set(PILLOWS) & set(chosen):
        yield in_file(images)


@functools.cache
def compiled(part):
    """Return the program of a batch, one for all severities of what is graded."""

    def one(key, image, parameters):
        return part.corrupt(image, part.sample(key, image.shape), parameters)

    return jax.jit(jax.vmap(one, (0, 0, None)))


def in_file(images):
    """Return the cell of the file that published images come from."""
    quality = corrupted.QUALITY
    ours = functools.partial(
        jax.jit(jax.vmap(jpeg.round_trip, (0, None))),
        jax.numpy.asarray(images),
        jax.numpy.asarray(jpeg.tables(quality)),
    )
    pillow = reference_pointwise.round_trip
    return Cell(FILE, 1, ours, lambda i: functools.partial(pillow, images[i], quality))


@functools.cache
def sampled(part):
    """Return the program of an image's draws."""
    return jax.jit(part.sample, static_argnums=1)


def stated(corruption, name, keys, images, index):
    """Return the statement of a corrupted image, as a function of nothing."""
    draws = sampled(compiled_part(corruption))(keys[index], images.shape[1:])
    draws = {key: np.asarray(value) for key, value in draws.items()}
    # Whole numbers and masks stay so.
    draws = {k: v.astype(float) if v.dtype.kind == "f" else v for k, v in draws.items()}
    image, severity = images[index], corruption.severity
    if name == "shot_noise":
        rate = image / 255 * reference_pointwise.photons(severity)
        draws = {"counts": stats.poisson.ppf(draws["uniform"], rate).clip(0)}
    function = functools.partial(statement(name), image, severity=severity)
    whole = {"draws": draws} if name in TAKE_DRAWS else draws
    if name in ("motion_blur", "snow"):
        whole = whole | {"flavour": "original"}
    return lambda: draw(draws) or function(**whole)


def draw(draws):
    """Draw as many numbers as these, as the reference does, to no other purpose."""
    generator = np.random.RandomState(0)
    for name, values in draws.items():
        if name == "counts":
            generator.poisson(values)
        elif name == "normal":
            generator.standard_normal(values.shape)
        elif values.dtype.kind in "fb":
            generator.random_sample(values.shape)
        elif name == "offsets":
            generator.randint(-1, 1, values.shape)


def statement(name):
    """Return the function that states a corruption."""
    if name in names.IMAGENET_CBAR:
        return functools.partial(reference_cbar.corrupt, name)
    if name == "frost":
        return frosted
    if name == "elastic_transform":
        return reference_blurs.elastic_original
    modules = (
        reference_pointwise,
        reference_blurs,
        reference_fog,
        reference_snow,
        reference_spatter,
    )
    return next(getattr(m, name) for m in modules if hasattr(m, name))


def frosted(image, severity, crop):
    """Return the image in frost, as the reference sums it."""
    of_image, of_frost = frost.WEIGHTS[severity - 1]
    sums = of_image * image.astype(float) + of_frost * crop.astype(float)
    return sums.clip(0, 255).astype(np.uint8)


def check(cell):
    """Refuse to compare what differs; this also compiles and warms up."""
    found = np.asarray(cell.ours())
    if cell.stated is None:
        return
    wrong = (cell.stated(0)() != found[0]).mean()
    if not wrong <= LIMITS.get(cell.name, LIMIT):
        raise SystemExit(f"{cell.name}, severity {cell.severity}: {wrong:.2%} differ")


def timed(every, rounds, batch):
    """Return images/s of ours and of the statement by cell, one of each a round."""
    rates = {cell[:2]: ([], []) for cell in every}
    for turn in range(rounds):
        for cell in every:
            ours, stated = rates[cell[:2]]
            ours.append(batch / seconds(cell.ours))
            if cell.stated:
                stated.append(1 / seconds(cell.stated(turn % batch)))
    return rates


def seconds(task):
    """Return the processor time of a task until its result is there."""
    start = time.process_time()
    jax.block_until_ready(task())
    return time.process_time() - start


def reference(name, severity):
    """Return the images/s of the reference's code; none for a file alone."""
    if name in IMAGENET_C:
        return IMAGENET_C[name][severity - 1]
    if name in IMAGENET_CBAR:
        first, last = IMAGENET_CBAR[name]
        return 1 / {1: first, 5: last}.get(severity, (first + last) / 2)
    return None


def report(rates):
    """Print each cell, each corruption, and the grids."""
    found = {
        cell: tuple(statistics.median(part) if part else None for part in parts)
        for cell, parts in rates.items()
    }
    for (name, severity), (ours, stated) in found.items():
        line = f"{name} {severity}: {ours:.0f} images/s"
        if theirs := reference(name, severity):
            line += f", {ours / theirs:.1f}x of the reference's {theirs:.3g}"
        if stated:
            pairs = zip(*rates[name, severity], strict=True)
            ratios = [mine / other for mine, other in pairs]
            line += (
                f", {statistics.median(ratios):.2g}x ({min(ratios):.2g} to "
                f"{max(ratios):.2g}) of {peer(name)}'s {stated:.3g}"
            )
        print(line)
    for name in {name: None for name, _ in found if name != FILE}:
        print(f"{name}, all severities: {compared(found, [name])}")
    for grid, (members, goal) in GRIDS.items():
        there = [name for name in members if (name, 1) in found]
        if there:
            whole = len(there) == len(members)
            what = f"goal: {goal}" if whole else f"{len(there)} corruptions of it"
            print(f"{grid} ({what}): {compared(found, there)}")
    slow(found)


def peer(name):
    """Return whose the statement is."""
    return "Pillow" if name in (*PILLOWS, FILE) else "NumPy"


def compared(found, members):
    """Return how all cells of some corruptions go, as a sum and in the mean."""
    of = [(cell, *pair) for cell, pair in found.items() if cell[0] in members]
    own = sum(1 / ours for _, ours, _ in of)
    theirs = sum(1 / reference(*cell) for cell, _, _ in of)
    means = statistics.geometric_mean(ours / reference(*cell) for cell, ours, _ in of)
    line = (
        f"{len(of)} cells in {own:.4f} s an image ({len(of) / own:.0f} images/s), "
        f"{theirs / own:.1f}x of the reference's {theirs:.3g} s, "
        f"{means:.1f}x in the geometric mean"
    )
    pairs = [(ours, stated) for _, ours, stated in of if stated]
    if pairs:
        ratio = sum(1 / b for _, b in pairs) / sum(1 / a for a, _ in pairs)
        mean = statistics.geometric_mean(a / b for a, b in pairs)
        line += f"; of {len(pairs)} statements {ratio:.2g}x, {mean:.2g}x in the mean"
    return line


def slow(found):
    """Print what misses its goal."""
    missed = []
    for name in {name: None for name, _ in found}:
        own = {cell: pair for cell, pair in found.items() if cell[0] == name}
        if name in (*PILLOWS, FILE):
            goal, others = 0.2, [stated for _, stated in own.values()]
        else:
            goal, others = 0.7, [reference(*cell) for cell in own]
        ours = statistics.harmonic_mean([rate for rate, _ in own.values()])
        ratio = ours / statistics.harmonic_mean(others)
        if ratio < goal:
            missed.append(f"{name} ({ratio:.2f}x, goal {goal}x)")
    print(f"below their goal: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
