"""Do random squares change the answer, with no look at any gradient?"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from biases_jax.attacks import attack, norms, targets, windows
from biases_jax.transforms import TRACED
from biases_jax.types import Array, Bool, Float, Int, PRNGKey


class Search(NamedTuple):
    """The image of smallest margin, that margin, and what is told of the example.

    `query` counts the proposals of the batch, `evaluations` what the example needed.
    """

    query: Int[Array, ""]
    x: attack.Images
    margin: Float[Array, "*b"]
    fooled: Bool[Array, "*b"]
    best: attack.Best
    evaluations: Int[Array, "*b"]


@dataclasses.dataclass(frozen=True)
class Square(attack.CalledByKey):
    """Random search with squares (Andriushchenko et al. 2020), in the maximum norm.

    The start moves every column of every channel by epsilon up or down. A query moves
    the pixels of one random square, each channel as a whole, to the original plus or
    minus epsilon; it is kept where it lowers the margin z_y - max of the others. The
    squares hold a share of the pixels that halves by schedule, from `p_init` on
    (`windows.side`).

    As AutoAttack (commit a392200) runs it with one restart, but squares are drawn for
    each example, where AutoAttack shares them in a batch, so that numbers do not
    depend on who else is in it. An example is done when its margin is not above 0;
    the loop ends when all are. `epsilon` may be a traced scalar.

    Raises:
        ValueError: a negative epsilon, no query, or `p_init` not in (0, 1].
    """

    epsilon: norms.Size = dataclasses.field(metadata=TRACED)
    queries: int = 5000
    p_init: float = 0.8

    def __post_init__(self):
        norms.demand_sizes("linf", epsilon=self.epsilon)
        if self.queries < 1:
            raise ValueError(f"got queries={self.queries}, expected at least 1")
        if not 0 < self.p_init <= 1:
            raise ValueError(
                f"got p_init={self.p_init}, expected a share of the pixels in (0, 1]"
            )

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> attack.Draws:
        """Return uniform numbers in [0, 1): `stripes` [*b, 1, w, 3] and `squares`.

        `squares` [*b, queries, 5] are the place of a square's first row and column,
        as shares of the room for it, and the signs of its channels: up from 0.5 on.
        They take 100 kB an example for 5000 queries.
        """
        stripes, squares = jax.random.split(key)
        draw = jax.random.uniform
        return {
            "stripes": draw(stripes, (*shape[:-3], 1, *shape[-2:]), jnp.float32),
            "squares": draw(squares, (*shape[:-3], self.queries, 5), jnp.float32),
        }

    def run(
        self,
        draws: attack.Draws,
        image: attack.Images,
        label: attack.Classes,
        logits_fn: attack.LogitsFn,
    ) -> attack.AttackResult:
        """Return the image of smallest margin: the first that was not above 0, if any.

        Of the image's dtype. The clean image is not looked at. `evaluations` counts
        the start and the queries until the example was done. No gradient flows
        through the result.

        Raises:
            ValueError: as `attack.demand_images` and `attack.losses`, or draws for
                another number of queries.
        """
        attack.demand_images(image, label)
        self._demand_squares(draws["squares"])
        image = lax.stop_gradient(image)
        epsilon = jnp.asarray(self.epsilon, image.dtype)

        def moved(uniform):
            sign = jnp.where(uniform < 0.5, -1, 1).astype(image.dtype)
            return jnp.clip(image + epsilon * sign, 0, 1)

        def query(search):
            numbers = lax.dynamic_index_in_dim(
                draws["squares"], search.query, axis=-2, keepdims=False
            )
            side = windows.side(search.query, self.p_init, image.shape)
            inside = windows.inside(numbers[..., :2], side, image.shape)
            signs = numbers[..., None, None, 2:]
            x = jnp.where(inside, moved(signs), search.x)
            return _noted(search, x, label, logits_fn)

        def unfinished(search):
            return (search.query < self.queries) & (search.margin > 0).any()

        start = moved(draws["stripes"])
        search = lax.while_loop(unfinished, query, _started(start, label, logits_fn))
        distance = norms.BY_NAME["linf"].length(search.x - image)
        result = attack.AttackResult(
            search.x, *search.best, search.fooled, distance, search.evaluations
        )
        return lax.stop_gradient(result)

    def _demand_squares(self, squares: Array) -> None:
        if squares.shape[-2:] != (self.queries, 5):
            raise ValueError(
                f"got squares {squares.shape}, expected [..., {self.queries}, 5]: draw "
                "them with `sample` of the same attack"
            )


def _started(
    x: attack.Images, label: attack.Classes, logits_fn: attack.LogitsFn
) -> Search:
    margin, loss, wrong = _judge(x, label, logits_fn)
    once = jnp.ones(loss.shape, jnp.int32)
    return Search(jnp.int32(0), x, margin, wrong, attack.Best(x, loss), once)


def _noted(
    search: Search, x: attack.Images, label: attack.Classes, logits_fn: attack.LogitsFn
) -> Search:
    """Return the search after one proposal, unchanged for examples that are done."""
    margin, loss, wrong = _judge(x, label, logits_fn)
    active = search.margin > 0
    kept = active & (margin < search.margin)
    return Search(
        search.query + 1,
        attack.chosen(kept, x, search.x),
        jnp.where(kept, margin, search.margin),
        jnp.where(kept, wrong, search.fooled),
        search.best.or_better(x, jnp.where(active, loss, -jnp.inf)),
        search.evaluations + active.astype(jnp.int32),
    )


def _judge(
    x: attack.Images, label: attack.Classes, logits_fn: attack.LogitsFn
) -> tuple[Float[Array, "*b"], Float[Array, "*b"], Bool[Array, "*b"]]:
    """Return each example's margin and loss, and whether its answer is wrong."""
    # Loops of unknown length cannot be differentiated, not even to be ignored.
    logits = lax.stop_gradient(logits_fn(x))
    loss, wrong = attack.losses(x, label, lambda _: logits)
    return targets.margin(logits.astype(x.dtype), label), loss, wrong
