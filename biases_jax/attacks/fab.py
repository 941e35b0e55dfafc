"""How near is an image that the model takes for another class?"""

import dataclasses
import functools
from typing import NamedTuple

import jax.numpy as jnp
from jax import lax

from biases_jax.attacks import attack, hyperplane, norms, targets
from biases_jax.transforms import TRACED
from biases_jax.types import Array, Bool, Float, PRNGKey

# Croce & Hein 2020, section 4, and AutoAttack (commit a392200).
MOST_BIAS = 0.1  # alpha_max: the largest share of the step from the original
OVERSHOOT = 1.05  # eta: steps go past the hyperplane
RETREAT = 0.9  # beta: what is kept of the way to an adversarial image
SHORTEST = 1e-8  # the least length of a step when the two are weighed


class Search(NamedTuple):
    """Where the search is, the nearest adversarial image, and how far that is.

    `distance` is infinite as long as there is none.
    """

    x: attack.Images
    nearest: attack.Images
    distance: Float[Array, "*b"]
    best: attack.Best


@dataclasses.dataclass(frozen=True)
class FAB(attack.CalledByKey):
    """The targeted fast adaptive boundary attack (Croce & Hein 2020), to one class.

    The target t is the class of the `rank`-th largest logit of the clean image, from
    2 on; AutoAttack runs ranks 2 to 10 one by one. With f = z_t - z_y, every
    iteration takes the boundary for the hyperplane of points p with
    f(x) + <grad f(x), p - x> = 0, and mixes the shortest steps onto it that stay in
    [0, 1] (`hyperplane.step`), d1 from x and d2 from the original x0:

        alpha = min(|d1| / (|d1| + |d2|), 0.1)
        x <- clip((1 - alpha)(x + 1.05 d1) + alpha (x0 + 1.05 d2), 0, 1)

    An x of any wrong class is adversarial: the nearest one is kept, and the search
    goes on at x0 + 0.9 (x - x0). There is nothing random: AutoAttack starts at x0.
    A clean image that is answered wrongly is its own nearest one, at distance 0.

    `epsilon` and `rank` may be traced scalars, so that all of them compile once; a
    traced `rank` is not checked.

    Raises:
        ValueError: a negative epsilon, an unknown norm, a rank below 2, no iteration.
    """

    epsilon: norms.Size = dataclasses.field(metadata=TRACED)
    rank: targets.Rank = dataclasses.field(metadata=TRACED)
    norm: norms.Name = "linf"
    iterations: int = 100

    def __post_init__(self):
        norms.demand_sizes(self.norm, epsilon=self.epsilon)
        targets.demand_rank(self.rank)
        if self.iterations < 1:
            raise ValueError(f"got iterations={self.iterations}, expected at least 1")

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> attack.Draws:
        """Return nothing: there is nothing to draw."""
        del key, shape
        return {}

    def run(
        self,
        draws: attack.Draws,
        image: attack.Images,
        label: attack.Classes,
        logits_fn: attack.LogitsFn,
    ) -> attack.AttackResult:
        """Return the nearest adversarial image, where it is within epsilon.

        Otherwise the original, which then is not fooled. Of the image's dtype. The
        best image is that of the original and of the iterates within epsilon.
        `evaluations` are a gradient and a forward pass for each iteration, and the
        clean forward pass. No gradient flows through the result.

        Raises:
            ValueError: as `attack.demand_images` and `attack.losses`, or fewer
                classes than `rank`.
        """
        del draws
        attack.demand_images(image, label)
        image = lax.stop_gradient(image)
        epsilon = jnp.asarray(self.epsilon, image.dtype)
        clean = logits_fn(image)
        loss, wrong = _judge(image, label, lambda _: clean)
        target = targets.ranked(clean, self.rank)

        def iterate(_, search):
            gap, normal = _hyperplane(search.x, label, target, logits_fn)
            x = _mixed(search.x, image, gap, normal, self.norm)
            verdict = _judge(x, label, logits_fn)
            return _noted(search, x, image, *verdict, epsilon, self.norm)

        nowhere = jnp.where(wrong, 0, jnp.full_like(loss, jnp.inf))
        start = Search(image, image, nowhere, attack.Best(image, loss))
        found = lax.fori_loop(0, self.iterations, iterate, start)
        fooled = found.distance <= epsilon
        nearest = attack.chosen(fooled, found.nearest, image)
        evaluations = jnp.full(fooled.shape, 2 * self.iterations + 1, jnp.int32)
        distance = jnp.where(fooled, found.distance, 0)
        return lax.stop_gradient(
            attack.AttackResult(nearest, *found.best, fooled, distance, evaluations)
        )


def _judge(
    image: attack.Images, label: attack.Classes, logits_fn: attack.LogitsFn
) -> tuple[Float[Array, "*b"], Bool[Array, "*b"]]:
    # Nobody differentiates through the search, which holds a loop of unknown length.
    return lax.stop_gradient(attack.losses(image, label, logits_fn))


def _hyperplane(
    x: attack.Images,
    label: attack.Classes,
    target: attack.Classes,
    logits_fn: attack.LogitsFn,
) -> tuple[Float[Array, "*b"], attack.Images]:
    """Return f(x) = z_target - z_label, and its gradient, of each example."""

    lead = functools.partial(targets.lead, target=target)
    gap, _, normal = attack.losses_and_gradient(x, label, logits_fn, lead)
    return lax.stop_gradient((gap, normal))


def _mixed(
    x: attack.Images,
    original: attack.Images,
    gap: Float[Array, "*b"],
    normal: attack.Images,
    name: norms.Name,
) -> attack.Images:
    """Return the mean of both steps onto the hyperplane, the shorter weighing more."""
    # What the hyperplane's offset gives, but without the offset's rounding.
    far = gap + (normal * (original - x)).sum(norms.PIXELS)
    near_step = hyperplane.step(x, normal, gap, name)
    far_step = hyperplane.step(original, normal, far, name)
    lengths = [norms.BY_NAME[name].length(step) for step in (near_step, far_step)]
    near, away = (jnp.maximum(length, SHORTEST) for length in lengths)
    bias = jnp.minimum(near / (near + away), MOST_BIAS)[..., None, None, None]
    mixed = (1 - bias) * (x + OVERSHOOT * near_step)
    return jnp.clip(mixed + bias * (original + OVERSHOOT * far_step), 0, 1)


def _noted(
    search: Search,
    x: attack.Images,
    original: attack.Images,
    loss: Float[Array, "*b"],
    wrong: Bool[Array, "*b"],
    epsilon: Float[Array, ""],
    name: norms.Name,
) -> Search:
    """Return the search after a judged x."""
    far = norms.BY_NAME[name].length(x - original)
    nearer = wrong & (far < search.distance)
    nearest = attack.chosen(nearer, x, search.nearest)
    distance = jnp.where(nearer, far, search.distance)
    best = search.best.or_better(x, jnp.where(far <= epsilon, loss, -jnp.inf))
    back = attack.chosen(wrong, original + RETREAT * (x - original), x)
    return Search(back, nearest, distance, best)
