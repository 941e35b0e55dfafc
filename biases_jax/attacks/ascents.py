"""Where does the ascent of Auto-PGD go next, and what does it keep?

Croce & Hein 2020, algorithm 1; the equations are in `apgd.APGD`.
"""

from typing import NamedTuple

import jax.numpy as jnp

from biases_jax.attacks import attack, checkpoints, norms
from biases_jax.types import Array, Bool, Float

MOMENTUM = 0.75  # alpha: the share of a step that is new, from the second step on


class Ascent(NamedTuple):
    """Where the ascent of each example is, and what it has found.

    `fooling` is the last image with a wrong answer, the original where there is none.
    """

    x: attack.Images
    previous: attack.Images
    best: attack.Best
    best_gradient: attack.Images
    fooling: attack.Images
    fooled: Bool[Array, "*b"]
    progress: checkpoints.Progress


def begun(
    start: attack.Images, image: attack.Images, epsilon: Float[Array, ""]
) -> Ascent:
    """Return the ascent before its start is evaluated."""
    size = jnp.broadcast_to(2 * epsilon, image.shape[:-3])
    return Ascent(
        x=start,
        previous=start,
        best=attack.nothing_yet(image),
        best_gradient=jnp.zeros_like(image),
        fooling=image,
        fooled=jnp.zeros(size.shape, bool),
        progress=checkpoints.beginning(size),
    )


def noted(
    ascent: Ascent,
    loss: Float[Array, "*b"],
    wrong: Bool[Array, "*b"],
    gradient: attack.Images,
    at: checkpoints.Schedule,
) -> tuple[Ascent, attack.Images]:
    """Return the ascent after an evaluation of `x`, and the gradient to follow.

    Where the size is halved, these are the best image and its gradient. `previous` is
    left as it is.
    """
    better = loss > ascent.best.loss
    best = ascent.best.or_better(ascent.x, loss)
    best_gradient = attack.chosen(better, gradient, ascent.best_gradient)
    progress, halve = ascent.progress.after(loss, best.loss, at)
    noted = Ascent(
        x=attack.chosen(halve, best.image, ascent.x),
        previous=ascent.previous,
        best=best,
        best_gradient=best_gradient,
        fooling=attack.chosen(wrong, ascent.x, ascent.fooling),
        fooled=ascent.fooled | wrong,
        progress=progress,
    )
    return noted, attack.chosen(halve, best_gradient, gradient)


def stepped(
    ascent: Ascent,
    gradient: attack.Images,
    at: checkpoints.Schedule,
    image: attack.Images,
    epsilon: Float[Array, ""],
    norm: norms.Norm,
) -> attack.Images:
    """Return the next iterate: a step along the gradient, and the one before it."""
    share = jnp.where(at.start, 1, MOMENTUM).astype(image.dtype)
    size = ascent.progress.size[..., None, None, None]
    step = norm.inside(ascent.x + size * norm.ascent(gradient), image, epsilon)
    mixed = ascent.x + share * (step - ascent.x)
    mixed += (1 - share) * (ascent.x - ascent.previous)
    return norm.inside(mixed, image, epsilon)
