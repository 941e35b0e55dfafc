"""Is the answer right? One example at a time, in numbers that add up."""

import dataclasses
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax

from biases_jax import labels
from biases_jax.types import Array, Bool, Float, Int, Label, Logits, Record, Sums

KEPT = 5  # best classes kept per example: enough to redo top-5, subsets and ReaL
Classes = Literal["imagenet_a", "imagenet_r"]  # whose 200 classes are meant


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
        loss = negative_log_likelihood(logits, label[0])
        return judged(logits, best, hits, margin(logits), loss)


@dataclasses.dataclass(frozen=True)
class Within:
    """As `TopK`, but only examples of 200 classes are scored.

    The decision is among all classes: on ImageNet's validation set this is the clean
    twin of ImageNet-A or -R without a restriction. Sums: also `scored`.
    """

    classes: Classes
    label: str = "imagenet"

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example.

        Raises:
            ValueError: the model has not ImageNet's classes.
        """
        members = _members(logits, self.classes)
        sums, record = TopK(self.label)(logits, label)
        return only((members == label[0]).any(), sums, record)


@dataclasses.dataclass(frozen=True)
class Subset:
    """Top-1 and top-5 among 200 classes only: the protocol of ImageNet-A and -R.

    Logits of other classes do not count (Hendrycks et al. 2021, both papers), and
    examples of other classes are not scored, so that on ImageNet's validation set this
    is the clean twin. The record's `predicted` is a class of ImageNet, and its
    `margin` is that among the 200. Sums: also `scored`.
    """

    classes: Classes
    label: str = "imagenet"

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example.

        Raises:
            ValueError: the model has not ImageNet's classes.
        """
        members = _members(logits, self.classes)
        logits = logits.astype(jnp.float32)
        among = logits[members]
        best = members[best_classes(among)]
        loss = negative_log_likelihood(logits, label[0])
        outcome = judged(logits, best, best == label[0], margin(among), loss)
        return only((members == label[0]).any(), *outcome)


@dataclasses.dataclass(frozen=True)
class AnyOf:
    """Right is any of several labels: the protocol of ReaL (Beyer et al. 2020).

    `top5` asks whether one of the five best classes is a label. Examples without a
    label are not scored. The record's likelihood is that of all labels together. Sums:
    also `scored`.
    """

    label: str = "real"

    def __call__(self, logits: Logits, label: Label) -> tuple[Sums, Record]:
        """Return the sums and the record of one example; `label` is padded with -1."""
        logits = logits.astype(jnp.float32)
        best = best_classes(logits)
        hits = _found(best, label)
        right = _found(jnp.arange(logits.shape[0]), label)
        probable = jax.nn.logsumexp(jax.nn.log_softmax(logits), where=right)
        loss = jnp.where(right.any(), -probable, jnp.nan)
        outcome = judged(logits, best, hits, margin(logits), loss)
        return only((label >= 0).any(), *outcome)


def judged(
    logits: Logits,
    best: Int[Array, "5"],
    hits: Bool[Array, "5"],
    margin: Float[Array, ""],
    loss: Float[Array, ""],
) -> tuple[Sums, Record]:
    """Return the sums and the record of a decision that ranks its classes in `best`.

    `hits` says which of them are right; `margin` and `loss` are the record's.
    """
    record = Record(
        predicted=best[0],
        correct=hits[0],
        margin=margin,
        best5=best_classes(logits),
        negative_log_likelihood=loss,
    )
    sums = {
        "count": jnp.int32(1),
        "top1": hits[0].astype(jnp.int32),
        "top5": hits.any().astype(jnp.int32),
        "nonfinite": (~jnp.isfinite(logits).all()).astype(jnp.int32),
    }
    return sums, record


def only(scored: Bool[Array, ""], sums: Sums, record: Record) -> tuple[Sums, Record]:
    """Return an outcome that counts as right or wrong only if it is `scored`."""
    one = scored.astype(jnp.int32)
    kept = {"top1": sums["top1"] * one, "top5": sums["top5"] * one, "scored": one}
    return {**sums, **kept}, record._replace(correct=record.correct & scored)


def best_classes(logits: Float[Array, " n"]) -> Int[Array, "5"]:
    """Return the five best classes, best first; -1 where there are fewer."""
    k = min(KEPT, logits.shape[0])
    _, indices = jax.lax.top_k(logits, k)
    return jnp.pad(indices, (0, KEPT - k), constant_values=-1)


def margin(logits: Float[Array, " n"]) -> Float[Array, ""]:
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


def demand_imagenet(logits: Logits, purpose: str) -> None:
    """Refuse a model that has other classes than ImageNet's 1000.

    Raises:
        ValueError: it has another number of them.
    """
    if logits.shape[0] != len(labels.WNIDS):
        raise ValueError(
            f"got logits of {logits.shape[0]} classes, expected ImageNet's "
            f"{len(labels.WNIDS)}: {purpose} are named by their places among them; "
            "measure this model on other benchmarks (--config.benchmarks)"
        )


def _members(logits: Logits, classes: Classes) -> Int[Array, "200"]:
    demand_imagenet(logits, f"the 200 classes of {classes}")
    found = {"imagenet_a": labels.IMAGENET_A, "imagenet_r": labels.IMAGENET_R}
    return jnp.asarray(np.array(found[classes], np.int32))


def _found(classes: Int[Array, " n"], label: Label) -> Bool[Array, " n"]:
    """Return which classes are among the labels; -1 is neither."""
    return ((classes[:, None] == label[None, :]) & (classes[:, None] >= 0)).any(1)
