"""How accurate is a model without noise, and behind noise of each band and strength?"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from biases_jax import labels, proportions
from biases_jax.masking import bootstrap, thresholds
from biases_jax.types import Cell, Float

ABSOLUTE = 50.0  # percent: the paper's criterion
RELATIVE = 0.5  # of the noise-free accuracy
NEAR_CHANCE = 100 * proportions.NEAR_CHANCE / len(labels.WNIDS)  # percent


class Grid(NamedTuple):
    """Accuracies in percent: of a model (n = 1), or of resamples of its images."""

    noise_free: Float[np.ndarray, " n"]
    masked: Float[np.ndarray, "n sds bands"]

    def criterion(self, relative: bool) -> Float[np.ndarray, " n"]:
        """Return the accuracy above which noise counts as borne, in percent."""
        if relative:
            return RELATIVE * self.noise_free
        return np.full_like(self.noise_free, ABSOLUTE)


class Resamples(NamedTuple):
    """The accuracies of resamples of the images, or why there are none."""

    grid: Grid | None = None
    remark: str = ""


def measured(cells: Mapping[str, Cell], names: Sequence[str]) -> Grid:
    """Return the accuracies of a model, NaN for cells that are absent.

    `names` are the noise-free cell and then, band by band, those of the SDs.
    """
    return _grid(np.array([[_accuracy(cells.get(name)) for name in names]]))


def resampled(cells: Mapping[str, Cell], names: Sequence[str]) -> Resamples:
    """Return the accuracies of resamples of the images, if all records are there."""
    if not set(names) <= set(cells):
        return Resamples(remark="no interval: cells are missing")
    try:
        tables = [cells[name].records() for name in names]
        return Resamples(_grid(bootstrap.accuracies(tables)))
    except (ValueError, FileNotFoundError) as error:
        return Resamples(remark=f"no interval: {error}")


def near_chance(grid: Grid, noise_free: Cell | None) -> str:
    """Return what to say of a noise-free accuracy near chance, '' if it is not.

    Near is below ten times the chance of 1000 classes or, in a set of fewer, no more
    than the share of its most frequent class. `noise_free` is the cell, if there.
    """
    accuracy, share = float(grid.noise_free[0]), _largest_share(noise_free)
    found = f"near chance without noise: {accuracy:.2f} % right"
    if accuracy < NEAR_CHANCE:
        return (
            f"{found}, at least {NEAR_CHANCE:g} % (ten times the chance of 1000 "
            "classes) are needed"
        )
    if accuracy <= share:
        return f"{found}, always the same answer would be in {share:.2f} %"
    return ""


def _largest_share(cell: Cell | None) -> float:
    """Return the most frequent class' percentage, 0 where no list of examples is."""
    try:
        classes = cell.examples()["imagenet"].to_numpy() if cell else np.empty(0, int)
    except (ValueError, FileNotFoundError):
        return 0.0
    return 100 * np.bincount(classes).max(initial=0) / max(len(classes), 1)


def below(grid: Grid) -> str:
    """Return what to say if not even the noise-free accuracy passes 50 %, else ''."""
    accuracy = float(grid.noise_free[0])
    if accuracy > ABSOLUTE:
        return ""
    return (
        f"below the threshold without noise: {accuracy:.2f} % right, more than "
        f"{ABSOLUTE:g} % are needed"
    )


def _accuracy(cell: Cell | None) -> float:
    if cell is None:
        return math.nan
    return 100 * cell.sums["top1"] / proportions.trials(cell.sums)


def _grid(accuracies: Float[np.ndarray, "n cells"]) -> Grid:
    masked = accuracies[:, 1:].reshape(len(accuracies), -1, len(thresholds.SDS))
    return Grid(accuracies[:, 0], masked.swapaxes(1, 2))
