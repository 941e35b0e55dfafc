"""When does Auto-PGD look back, and when does it halve its steps?

Croce & Hein 2020, with the numbers of AutoAttack (commit a392200).
"""

import itertools
import math
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from biases_jax.types import Array, Bool, Float, Int

# As shares of all steps: the first window, what each next one is shorter, the least.
FIRST, SHRINKING, LEAST = 0.22, 0.03, 0.06


def windows(steps: int) -> tuple[int, ...]:
    """Return how many steps lie between checkpoints, one after the other.

    22, 19, 16, 13, 10, 7, 6, 6 of 100 steps: the checkpoints follow the steps 21, 40,
    56, 69, 79, 86, 92 and 98, counted from 0. No window is shorter than one step.
    """
    window, shrinking, least = (
        max(int(share * steps), 1) for share in (FIRST, SHRINKING, LEAST)
    )
    found = []
    while sum(found) + window <= steps:
        found.append(window)
        window = max(window - shrinking, least)
    return tuple(found)


class Schedule(NamedTuple):
    """What is special about the evaluations, of the start and after each step.

    `start` marks the start, `checkpoint` the last evaluations of windows, where the
    loss `stalled` if it rose in no more than so many steps (-1 elsewhere).
    """

    start: Bool[Array | np.ndarray, "*n"]
    checkpoint: Bool[Array | np.ndarray, "*n"]
    stalled: Int[Array | np.ndarray, "*n"]


def schedule(steps: int, rho: float) -> Schedule:
    """Return the schedule of `steps` steps, NumPy arrays `[steps + 1]`.

    Stalled is a window of k steps of which at most `rho` k raised the loss.
    """
    stalled = np.full(steps + 1, -1, np.int32)
    lengths = windows(steps)
    for end, window in zip(itertools.accumulate(lengths), lengths, strict=True):
        stalled[end] = math.floor(rho * window)
    return Schedule(np.arange(steps + 1) == 0, stalled >= 0, stalled)


class Progress(NamedTuple):
    """How the ascent went, for each example.

    `size` is the length of steps. `loss` is that of the step before, and `rises` counts
    the steps of this window that raised it. `best_before` is the largest loss that
    the last checkpoint knew, and `halved` whether it halved the size.
    """

    size: Float[Array, "*b"]
    loss: Float[Array, "*b"]
    rises: Int[Array, "*b"]
    best_before: Float[Array, "*b"]
    halved: Bool[Array, "*b"]

    def after(
        self, loss: Float[Array, "*b"], best: Float[Array, "*b"], at: Schedule
    ) -> tuple["Progress", Bool[Array, "*b"]]:
        """Return the progress after an evaluation, and whether to halve the size.

        `loss` is the new one, `best` the largest so far with it. At a checkpoint, the
        size is halved where the loss stalled, or where the last checkpoint left the
        size as it was and no loss since was larger.

        A step is said to raise the loss if its own is larger than that of the step
        before. The first step is compared with 0, not with the start, because the
        reference reads the last row of a history that is still empty.
        """
        rises = self.rises + (~at.start & (loss > self.loss)).astype(jnp.int32)
        idle = ~self.halved & (self.best_before >= best)
        halve = at.checkpoint & ((rises <= at.stalled) | idle)
        progress = Progress(
            size=jnp.where(halve, self.size / 2, self.size),
            loss=jnp.where(at.start, self.loss, loss),
            rises=jnp.where(at.checkpoint, 0, rises),
            best_before=jnp.where(at.checkpoint, best, self.best_before),
            halved=jnp.where(at.checkpoint, halve, self.halved),
        )
        return progress, halve


def beginning(size: Float[Array, "*b"]) -> Progress:
    """Return the progress before the start is evaluated."""
    return Progress(
        size=size,
        loss=jnp.zeros_like(size),
        rises=jnp.zeros(size.shape, jnp.int32),
        best_before=jnp.full_like(size, -jnp.inf),
        halved=jnp.ones(size.shape, bool),
    )
