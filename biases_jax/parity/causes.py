"""What is the likely cause, by the pattern of the differences?"""

import dataclasses
import itertools
import math
from collections.abc import Callable, Mapping

import numpy as np

from biases_jax.models import activations
from biases_jax.parity import affine, differences, gates, runs

AGREES = "agrees"
WEIGHTS = "other weights"
OTHERWISE = "(or other values of that layer's weights)"
STEM_PADDING = f"padding of the stem's convolution {OTHERWISE}"
POOL_PADDING = "padding of the max-pool"
STRIDED_PADDING = f"padding of the strided 3x3 convolutions {OTHERWISE}"
BATCH_NORM = "epsilon of the batch norms, or their folding"
HEAD = "the classifier (order or values of fc)"
PRECISION = "precision: products of {} factors"
NO_NORMALIZATION = "preprocessing: mean and std are not applied"
RANGE = "preprocessing: pixels 0..255 instead of [0, 1]"
ORDER = "preprocessing: channels in the order {} instead of RGB"
STATISTICS = "preprocessing: mean {} and std {}"
HEAD_PRECISION = PRECISION.format("TF32 or bfloat16") + " in the classifier"
NOT_FINITE = "not finite in {}, first at {}"
ONLY_GRADIENT = "unknown, no stage deviates, only the gradient"
ONLY_LOGITS = "unknown, no stage deviates as a whole, only single logits"
UNKNOWN = "unknown, first deviation at {}"
OURS, THEIRS = "the run here", "the reference"

AFFINE = 0.1  # of a deviation may be left when a scale and a shift explain it
EXACT = 1e-4  # relative: what a right guess of the preprocessing leaves in float32
ALIGNED = 0.9  # cosine: one change in two sizes is parallel, two changes are not
LARGE = 1e-2  # relative: wrong paddings of one layer do more, rounding in it less
SMALL = 1e-5  # relative: rounded factors in one layer do more
NOISE = 4  # times more or less than predicted is still that noise
BLOCK = activations.BLOCKS[0]
STRIDED = tuple(f"layer{layer}_0" for layer in (2, 3, 4))


@dataclasses.dataclass(frozen=True)
class Context:
    """What is known of both runs: images (RGB in [0, 1]), and the network's input.

    `mean` and `std` are of images in [0, 1]; `noise` gives what rounded factors do to
    `conv1` (`stem.noise`), and `epsilon` the first block under another one in all
    blocks (`epsilon.changed`).
    """

    images: activations.Pixels
    mean: tuple[float, ...]
    std: tuple[float, ...]
    noise: Callable[[], Mapping[str, float]]
    epsilon: Callable[[], runs.Values]


def cause(
    comparison: differences.Comparison, a: runs.Run, b: runs.Run, context: Context
) -> str:
    """Return the likely reason why finite runs a (here) and b (reference) differ."""
    first = gates.first_deviation(comparison)
    if first == "normalized":
        return _preprocessing(a.values[first], b.values[first], context)
    if first == "conv1":
        return _stem(comparison, a, b, context)
    large = bool(first) and comparison.stages[first].relative > LARGE
    if first == BLOCK and _is_epsilon(a.values[first], b.values[first], context):
        return BATCH_NORM
    if first == "stem" and large:
        return POOL_PADDING
    if first in STRIDED and large:
        return STRIDED_PADDING
    if first == "logits":
        small = comparison.stages[first].relative < SMALL
        return HEAD if large else UNKNOWN.format(first) if small else HEAD_PRECISION
    return unknown(comparison)


def unknown(comparison: differences.Comparison) -> str:
    """Return where runs differ, where no more can be said."""
    limit = gates.GATES[comparison.precision].logits
    first = gates.first_deviation(comparison)
    if first:
        return UNKNOWN.format(first)
    if comparison.stages["logits"].over_spread <= limit:
        return ONLY_GRADIENT
    return ONLY_LOGITS


def not_finite(a: runs.Run, b: runs.Run) -> str:
    """Return which of two runs is not finite, and where first; '' if both are."""
    for name in runs.NAMES:
        broken = [
            side
            for side, run in ((OURS, a), (THEIRS, b))
            if name in run.values and not np.isfinite(run.values[name].array).all()
        ]
        if broken:
            return NOT_FINITE.format(" and ".join(broken), name)
    return ""


def _stem(
    comparison: differences.Comparison, a: runs.Run, b: runs.Run, context: Context
) -> str:
    """Tell wrong padding, batch norms and rounded factors apart."""
    x, y = differences.paired("conv1", a.values["conv1"], b.values["conv1"])
    left = affine.left(x.array, y.array, y.channel)
    if left <= AFFINE * np.linalg.norm(y.array.astype(np.float64) - x.array):
        return BATCH_NORM
    found = comparison.stages["conv1"].relative
    noise = context.noise()
    name = min(noise, key=lambda name: abs(math.log(noise[name] / found)))
    if 1 / NOISE < found / noise[name] < NOISE:
        return PRECISION.format(name)
    return STEM_PADDING if found > max(noise.values()) else UNKNOWN.format("conv1")


def _is_epsilon(ours: runs.Values, theirs: runs.Values, context: Context) -> bool:
    """Whether b deviates in the direction in which another epsilon moves a block."""
    other = context.epsilon()
    x, y = differences.paired(BLOCK, ours, theirs)
    z = other.thinned(x.stride).array.astype(np.float64)
    found, known = ((v - x.array).ravel() for v in (y.array.astype(np.float64), z))
    norms = np.linalg.norm(found) * np.linalg.norm(known)
    return bool(abs(found @ known) > ALIGNED * norms)


def _preprocessing(ours: runs.Values, theirs: runs.Values, context: Context) -> str:
    """Say what was done to the images, on the side where it is not as it should be."""
    found = [
        at(cause, side)
        for side, values in ((OURS, ours), (THEIRS, theirs))
        if (cause := _input(values, context))
    ]
    return "; ".join(found) or UNKNOWN.format("normalized")


def at(cause: str, side: str) -> str:
    """Return a cause with the side where it lies."""
    return f"{cause} (in {side})"


def _input(values: runs.Values, context: Context) -> str:
    """Name the order, mean and std that make an input of the images; '' if right."""
    for order in itertools.permutations(range(3)):
        found = _statistics(values, context.images, order)
        if found is not None:
            return _named(order, *found, context)
    return UNKNOWN.format("normalized")


def _statistics(
    values: runs.Values, images: activations.Pixels, order: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the mean and std that explain an input, None if none do."""
    places = np.arange(0, values.size, values.stride)
    sources = places // 3 * 3 + np.take(order, values.channel)
    pixels = images.reshape(len(images), -1)[:, sources].astype(np.float64)
    fits = [
        affine.fit(pixels[:, values.channel == c], values.array[:, values.channel == c])
        for c in range(3)
    ]
    left = math.sqrt(sum(squares for _, _, squares in fits))
    if left > EXACT * np.linalg.norm(values.array) or not all(f[0] for f in fits):
        return None
    mean = np.array([-shift / scale for scale, shift, _ in fits])
    return mean, np.array([1 / scale for scale, _, _ in fits])


def _named(
    order: tuple[int, ...], mean: np.ndarray, std: np.ndarray, context: Context
) -> str:
    def near(wanted_mean, wanted_std):
        wanted = np.concatenate([wanted_mean, wanted_std])
        return np.allclose(np.concatenate([mean, std]), wanted, rtol=1e-3, atol=1e-5)

    ours = np.array(context.mean), np.array(context.std)
    if order == (0, 1, 2) and near(*ours):
        return ""
    if near(np.zeros(3), np.full(3, 1 / 255)) or near(ours[0] / 255, ours[1] / 255):
        return RANGE
    if near(np.zeros(3), np.ones(3)):
        return NO_NORMALIZATION
    if order != (0, 1, 2):
        return ORDER.format("".join("RGB"[c] for c in order))
    return STATISTICS.format(np.round(mean, 4).tolist(), np.round(std, 4).tolist())
