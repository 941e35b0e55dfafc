"""Does the answer change when the ascent of a loss chooses its own steps?"""

import dataclasses
from typing import Literal

import jax.numpy as jnp
from jax import lax

from biases_jax.attacks import ascents, attack, checkpoints, dlr, norms, targets
from biases_jax.transforms import TRACED
from biases_jax.types import PRNGKey

LossName = Literal["ce", "dlr"]
LOSSES: dict[LossName, attack.Loss] = {
    "ce": attack.cross_entropy,
    "dlr": dlr.untargeted,
}


@dataclasses.dataclass(frozen=True)
class _AutoPGD(attack.CalledByKey):
    """What the untargeted and the targeted attack share: all but the loss."""

    epsilon: norms.Size = dataclasses.field(metadata=TRACED)
    norm: norms.Name = "linf"
    steps: int = 100
    rho: float = 0.75

    def __post_init__(self):
        norms.demand_sizes(self.norm, epsilon=self.epsilon)
        if self.steps < 1:
            raise ValueError(f"got steps={self.steps}, expected at least 1")
        if not 0 <= self.rho <= 1:
            raise ValueError(f"got rho={self.rho}, expected a share of steps in [0, 1]")

    def _objective(
        self, image: attack.Images, label: attack.Classes, logits_fn: attack.LogitsFn
    ) -> tuple[attack.Loss, int]:
        """Return the loss to climb, and how many evaluations that took."""
        raise NotImplementedError(type(self).__name__)

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> attack.Draws:
        """Return `unit_noise`, of `shape`: the direction in which the start lies."""
        return {"unit_noise": norms.BY_NAME[self.norm].unit_noise(key, shape)}

    def run(
        self,
        draws: attack.Draws,
        image: attack.Images,
        label: attack.Classes,
        logits_fn: attack.LogitsFn,
    ) -> attack.AttackResult:
        """Return the last fooling iterate as `image`, or the original if none fooled.

        Of the image's dtype; the start is an iterate, the original is not. The best
        image is that of the loss climbed. No gradient flows through the result. Raises
        ValueError as `attack.demand_images` and `attack.answers`, and for too few
        classes.
        """
        attack.demand_images(image, label)
        norm = norms.BY_NAME[self.norm]
        epsilon = jnp.asarray(self.epsilon, image.dtype)
        loss, looks = self._objective(image, label, logits_fn)

        def iterate(ascent, at):
            seen = attack.losses_and_gradient(ascent.x, label, logits_fn, loss)
            ascent, gradient = ascents.noted(ascent, *seen, at)
            x = ascents.stepped(ascent, gradient, at, image, epsilon, norm)
            return ascent._replace(x=x, previous=ascent.x), None

        noise = draws["unit_noise"].astype(image.dtype)
        start = jnp.clip(image + epsilon * norm.on_surface(noise), 0, 1)
        plan = checkpoints.schedule(self.steps, self.rho)
        ascent, _ = lax.scan(iterate, ascents.begun(start, image, epsilon), plan)
        distance = norm.length(ascent.fooling - image)
        evaluations = jnp.full(distance.shape, self.steps + 1 + looks, jnp.int32)
        result = attack.AttackResult(
            ascent.fooling, *ascent.best, ascent.fooled, distance, evaluations
        )
        return lax.stop_gradient(result)


@dataclasses.dataclass(frozen=True)
class APGD(_AutoPGD):
    """Auto-PGD (Croce & Hein 2020), as AutoAttack (commit a392200) runs it once.

    The start lies on the surface of the ball, in a random direction, cut to [0, 1].
    With P the projection into the ball and then into [0, 1], s the gradient's sign in
    `linf` and the gradient over its length in `l2`, the first step is z, and then

        z_i = P(x_i + size s_i),
        x_{i+1} = P(x_i + 0.75 (z_i - x_i) + 0.25 (x_i - x_{i-1})).

    The size of steps begins as 2 epsilon. At a checkpoint (`checkpoints.windows`) it
    is halved, for each example, where at most a share `rho` of the window's steps
    raised the loss, or where the size was left alone at the last checkpoint and no
    loss was larger since. A halved ascent goes on from its best image, with the
    momentum of where it came from.

    The loss is the cross-entropy, "ce", or the difference of logits ratio, "dlr"; any
    wrong answer fools. All steps are made also where the answer is wrong already,
    since the last fooling iterate is the candidate: `evaluations` are `steps + 1`
    gradients. `epsilon` may be a traced scalar, so that a sweep compiles once.

    Raises:
        ValueError: a negative epsilon, an unknown norm or loss, no step, or a `rho`
            that is not in [0, 1].
    """

    loss: LossName = "ce"

    def __post_init__(self):
        super().__post_init__()
        demand_loss(self.loss)

    def _objective(self, image, label, logits_fn):
        del image, label, logits_fn
        return LOSSES[self.loss], 0


@dataclasses.dataclass(frozen=True)
class TargetedAPGD(_AutoPGD):
    """`APGD` up the targeted difference of logits ratio (`dlr.targeted`), to one class.

    The target is the class of the `rank`-th largest logit of the clean image, from 2
    on; AutoAttack's APGD-T runs ranks 2 to 10 one by one, on images that are answered
    rightly (of others, the label may be its own target, whose loss is 0). Any wrong
    answer fools, not only the target. `evaluations` are `steps + 1` gradients, and the
    clean forward pass.

    `epsilon` and `rank` may be traced scalars, so that all ranks compile once; a traced
    `rank` is not checked.

    Raises:
        ValueError: as `APGD`, or a rank below 2.
    """

    rank: targets.Rank = dataclasses.field(kw_only=True, metadata=TRACED)

    def __post_init__(self):
        super().__post_init__()
        targets.demand_rank(self.rank)

    def _objective(self, image, label, logits_fn):
        clean = lax.stop_gradient(attack.answers(image, label, logits_fn))
        return dlr.towards(targets.ranked(clean, self.rank)), 1


def demand_loss(name: str) -> None:
    """Refuse a loss that is not known.

    Raises:
        ValueError: another name than those of `LOSSES`.
    """
    if name not in LOSSES:
        raise ValueError(
            f"got loss {name!r}, expected one of {sorted(LOSSES)}; the targeted loss "
            "is that of `TargetedAPGD`"
        )
