"""How far apart are two runs of the same weights on the same images?"""

import dataclasses
from collections.abc import Mapping

import ml_dtypes
import numpy as np

from biases_jax.parity import runs

# What one unit in the last place means in each precision.
UNITS = {
    "float64": np.finfo(np.float64),
    "float32": np.finfo(np.float32),
    # TF32 keeps 10 bits of a factor's mantissa; results are float32.
    "tf32": np.finfo(np.float32),
    "bfloat16": ml_dtypes.finfo(ml_dtypes.bfloat16),
}
SMALLEST = 2.0**-10  # of the spread: below, a value's own spacing says nothing


@dataclasses.dataclass(frozen=True)
class Difference:
    """How far two runs are apart at one stage, over all images and kept values.

    `max_abs` is the largest |a - b|; `over_spread` that over the standard deviation of
    b; `relative` the norm of a - b over that of b. `ulp_median`, `ulp_99` (quantile)
    and `ulp_max` are of |a - b| in units of the last place: the distance of
    neighbouring numbers of the coarser of the two precisions at |b|, or at 2^-10 of
    the spread where |b| is smaller. `count` is the number of values.
    """

    max_abs: float
    over_spread: float
    relative: float
    ulp_median: float
    ulp_99: float
    ulp_max: float
    count: int


@dataclasses.dataclass(frozen=True)
class Comparison:
    """Run a against run b, the reference.

    `precision` is the coarser of theirs. `agree` is the number of `images` that are
    decided alike, `margins` the margin of each other image: by how much b prefers its
    own class to that of a, over the spread of its logits. `sign_flips` is the share of
    gradient values whose sign differs, of those that are not 0 in b; `cosine` is of the
    angle between both gradients, `scale` the norm of a's over that of b's.
    """

    a: str
    b: str
    precision: str
    stages: Mapping[str, Difference]
    images: int
    agree: int
    margins: tuple[float, ...]
    sign_flips: float
    cosine: float
    scale: float


def compare(a: runs.Run, b: runs.Run) -> Comparison:
    """Compare the stages that both runs have.

    Raises:
        ValueError: a stage has another size in each, or other values were kept.
    """
    precision = runs.coarser(a.precision, b.precision)
    pairs = {
        name: paired(name, a.values[name], b.values[name])
        for name in runs.NAMES
        if name in a.values and name in b.values
    }
    ours, theirs = runs.decisions(a), runs.decisions(b)
    logits = b.values["logits"].array.astype(np.float64)
    rows = np.flatnonzero(ours != theirs)
    with np.errstate(invalid="ignore", over="ignore"):
        margins = logits[rows, theirs[rows]] - logits[rows, ours[rows]]
        spread = logits.std() or 1.0
    sign_flips, cosine, scale = directions(*pairs[runs.GRADIENT])
    return Comparison(
        a=a.title,
        b=b.title,
        precision=precision,
        stages={
            name: _difference(x.array, y.array, precision)
            for name, (x, y) in pairs.items()
        },
        images=len(ours),
        agree=int((ours == theirs).sum()),
        margins=tuple(float(margin / spread) for margin in margins),
        sign_flips=sign_flips,
        cosine=cosine,
        scale=scale,
    )


def paired(
    name: str, a: runs.Values, b: runs.Values
) -> tuple[runs.Values, runs.Values]:
    """Return the same values of both: where one is thinned, the other is, too.

    Raises:
        ValueError: their sizes or strides do not fit.
    """
    if (a.size, a.channels, len(a.array)) != (b.size, b.channels, len(b.array)):
        raise ValueError(
            f"got {len(a.array)} images with {a.size} values in {a.channels} channels "
            f"of {name}, expected {len(b.array)} with {b.size} in {b.channels}: "
            "another network, or other images"
        )
    stride = max(a.stride, b.stride)
    return a.thinned(stride), b.thinned(stride)


def directions(a: runs.Values, b: runs.Values) -> tuple[float, float, float]:
    """Return the share of flipped signs, the cosine, and the ratio of the norms."""
    x, y = (values.array.astype(np.float64).ravel() for values in (a, b))
    counted = y != 0
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite stays so
        flips = np.sign(x)[counted] != np.sign(y)[counted]
        norms = [float(np.linalg.norm(array)) for array in (x, y)]
        if not all(norms):  # two that are 0 are alike, one that is 0 has no direction
            alike = not any(norms)
            return float(not alike), float(alike), 1.0 if alike else norms[0] and np.inf
        cosine = float(x @ y) / (norms[0] * norms[1])
    return float(flips.mean()), cosine, norms[0] / norms[1]


def relative(a: np.ndarray, b: np.ndarray) -> float:
    """Return the norm of a - b over that of b; infinite if only b is 0."""
    norm = np.linalg.norm(b)
    distance = np.linalg.norm(a - b)
    return float(distance / norm) if norm else float(np.inf if distance else 0)


def _difference(a: np.ndarray, b: np.ndarray, precision: str) -> Difference:
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite stays so
        return _finite_or_not(a.astype(np.float64), b.astype(np.float64), precision)


def _finite_or_not(a: np.ndarray, b: np.ndarray, precision: str) -> Difference:
    a, b = a.ravel(), b.ravel()
    error, spread = np.abs(a - b), b.std()
    in_units = error / _spacing(np.maximum(np.abs(b), spread * SMALLEST), precision)
    median, most = np.quantile(in_units, (0.5, 0.99))
    return Difference(
        max_abs=float(error.max()),
        over_spread=float(error.max() / spread) if spread else float(error.max()),
        relative=relative(a, b),
        ulp_median=float(median),
        ulp_99=float(most),
        ulp_max=float(in_units.max()),
        count=len(b),
    )


def _spacing(values: np.ndarray, precision: str) -> np.ndarray:
    """Return the distance to the next number of a precision, of positive values."""
    unit = UNITS[precision]
    _, exponent = np.frexp(np.maximum(values, float(unit.tiny)))
    return np.ldexp(float(unit.eps), exponent - 1)
