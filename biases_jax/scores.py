"""Is the answer right? One example at a time, in numbers that add up."""

import dataclasses

import jax
import jax.numpy as jnp
import optax

from biases_jax.types import Array, Float, Int, Label, Logits, Record, Sums

KEPT = 5  # best classes kept per example: enough to redo top-5, subsets and ReaL


@dataclasses.dataclass(frozen=True)
class TopK:
    """Top-1 and top-5 accuracy against one class label.

    Ties go to the lower class index. Sums: `count`, `top1`, `top5`, `nonfinite`
    (examples with a NaN or infinite logit, which make a cell unpublishable).
    """

    label: str = "imagenet"

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example."""
        logits = logits.astype(jnp.float32)
        best = best_classes(logits)
        hits = (best == label[0]) & (best >= 0)
        record = Record(
            predicted=best[0],
            correct=hits[0],
            margin=margin(logits),
            best5=best,
            negative_log_likelihood=negative_log_likelihood(logits, label[0]),
        )
        sums = {
            "count": jnp.int32(1),
            "top1": hits[0].astype(jnp.int32),
            "top5": hits.any().astype(jnp.int32),
            "nonfinite": (~jnp.isfinite(logits).all()).astype(jnp.int32),
        }
        return sums, record


def best_classes(logits: Logits) -> Int[Array, "5"]:
    """Return the five best classes, best first; -1 where there are fewer."""
    k = min(KEPT, logits.shape[0])
    _, indices = jax.lax.top_k(logits, k)
    return jnp.pad(indices, (0, KEPT - k), constant_values=-1)


def margin(logits: Logits) -> Float[Array, ""]:
    """Return best minus second-best logit: how far the decision is from flipping."""
    (first, second), _ = jax.lax.top_k(logits, 2)
    return first - second


def negative_log_likelihood(logits: Logits, label: Int[Array, ""]) -> Float[Array, ""]:
    """Return -log softmax at the label, in nats; NaN if it is no class of the model."""
    known = (label >= 0) & (label < logits.shape[0])
    loss = optax.softmax_cross_entropy_with_integer_labels(
        logits, jnp.where(known, label, 0)
    )
    return jnp.where(known, loss, jnp.nan)
