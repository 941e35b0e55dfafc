"""Does the answer change when the image follows the gradient, within a small ball?"""

import dataclasses

import jax.numpy as jnp
from jax import lax

from biases_jax.attacks import attack, norms
from biases_jax.transforms import TRACED
from biases_jax.types import PRNGKey


@dataclasses.dataclass(frozen=True)
class PGD(attack.CalledByKey):
    """Projected gradient ascent of the cross-entropy (Madry et al. 2018).

    As foolbox 3.3.4 runs it with a fixed epsilon: a start drawn uniformly in the ball,
    or the image itself; `steps` times a step of absolute length `step`, the projection
    into the ball of radius `epsilon` around the image, and the clip to [0, 1]. The
    last iterate alone is judged. In `linf` a step is the gradient's sign; in `l2` the
    gradient over its length. The paper's PGD-40 is
    `PGD(epsilon=0.5 / 255, step=2 / 255, steps=40)`.

    `epsilon` and `step` may be traced scalars (`dataclasses.replace` within a jitted
    function), so that a sweep compiles once.

    Raises:
        ValueError: a negative size, no step, or an unknown norm.
    """

    epsilon: norms.Size = dataclasses.field(metadata=TRACED)
    step: norms.Size = dataclasses.field(metadata=TRACED)
    steps: int
    norm: norms.Name = "linf"
    random_start: bool = True

    def __post_init__(self):
        norms.demand_sizes(self.norm, epsilon=self.epsilon, step=self.step)
        if self.steps < 1:
            raise ValueError(f"got steps={self.steps}, expected at least 1")

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> attack.Draws:
        """Return `unit_noise`, of `shape`, within a ball of radius 1; or nothing."""
        if not self.random_start:
            return {}
        return {"unit_noise": norms.BY_NAME[self.norm].unit_noise(key, shape)}

    def run(
        self,
        draws: attack.Draws,
        image: attack.Images,
        label: attack.Classes,
        logits_fn: attack.LogitsFn,
    ) -> attack.AttackResult:
        """Return the last iterate as `image`, and the best of all, start included.

        Of the image's dtype. `evaluations` are `steps` gradients and one forward pass,
        which compilation drops where only `image` is used. No gradient flows through
        the result. Raises ValueError as `attack.demand_images` and `attack.losses`.
        """
        attack.demand_images(image, label)
        norm = norms.BY_NAME[self.norm]
        epsilon, step = (
            jnp.asarray(size, image.dtype) for size in (self.epsilon, self.step)
        )

        def climb(_, state):
            x, best = state
            loss, _, gradient = attack.losses_and_gradient(x, label, logits_fn)
            moved = norm.inside(x + step * norm.ascent(gradient), image, epsilon)
            return moved, best.or_better(x, loss)

        start = image
        if self.random_start:
            noise = draws["unit_noise"].astype(image.dtype)
            start = jnp.clip(image + epsilon * noise, 0, 1)
        x, best = lax.fori_loop(
            0, self.steps, climb, (start, attack.nothing_yet(image))
        )
        # Foolbox judges the iterate after one more projection.
        final = norm.inside(x, image, epsilon)
        loss, fooled = attack.losses(final, label, logits_fn)
        best = best.or_better(final, loss)
        evaluations = jnp.full(fooled.shape, self.steps + 1, jnp.int32)
        distance = norm.length(final - image)
        result = attack.AttackResult(final, *best, fooled, distance, evaluations)
        return lax.stop_gradient(result)


@dataclasses.dataclass(frozen=True)
class FGSM(attack.CalledByKey):
    """One step of the whole epsilon from the image itself (Goodfellow et al. 2015).

    As foolbox 3.3.4: `linf` is the fast gradient sign method, `l2` its fast gradient
    method. `epsilon` may be a traced scalar.

    Raises:
        ValueError: a negative epsilon or an unknown norm.
    """

    epsilon: norms.Size = dataclasses.field(metadata=TRACED)
    norm: norms.Name = "linf"

    def __post_init__(self):
        norms.demand_sizes(self.norm, epsilon=self.epsilon)

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
        """Return what `PGD.run` returns after one step of `epsilon`."""
        one_step = PGD(self.epsilon, self.epsilon, 1, self.norm, random_start=False)
        return one_step.run(draws, image, label, logits_fn)
