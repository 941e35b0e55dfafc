"""What is an attack, what does it return, and what does it climb?"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import optax

from biases_jax.types import Array, Bool, Float, Int, PRNGKey

# RGB in [0, 1]; no leading axis for one example, one for a batch.
Images = Float[Array, "*b h w 3"]
Classes = Int[Array, "*b 1"]  # the label space `imagenet`
Logits = Float[Array, "*b classes"]
LogitsFn = Callable[[Images], Logits]
Loss = Callable[[Logits, Classes], Float[Array, "*b"]]  # what an attack climbs
Draws = dict[str, Array]


class AttackResult(NamedTuple):
    """What an attack found, for each example.

    `image` is the candidate that the attack is judged by, and `fooled` whether the
    model's answer to it is wrong. An attack whose candidate is one that fools returns
    the original, at distance 0 and as not fooling, where it found none.

    `best_image` is the image of largest loss among all that were evaluated,
    `best_loss` that loss: the cross-entropy in nats, unless the attack says that it
    climbs another. `distance` is from the original to `image`, in the attack's norm.
    `evaluations` counts how often the model saw the example, with or without a
    gradient.
    """

    image: Images
    best_image: Images
    best_loss: Float[Array, "*b"]
    fooled: Bool[Array, "*b"]
    distance: Float[Array, "*b"]
    evaluations: Int[Array, "*b"]


@runtime_checkable
class Attack(Protocol):
    """Looks for an image nearby that a model gets wrong: a frozen dataclass.

    All randomness comes from `sample`. Images are one example `[h, w, 3]` with
    `label` `[1]` and `logits_fn` to `[classes]`, or a batch `[b, h, w, 3]` with
    `[b, 1]` and `[b, classes]`: examples never influence each other, unless the
    model mixes them (batch norm in training mode). A batch is the faster form, since
    the network may then split it as it likes.
    """

    def sample(self, key: PRNGKey, shape: tuple[int, ...]) -> Draws:
        """Return the random numbers of images of this shape, in float32."""

    def run(
        self, draws: Draws, image: Images, label: Classes, logits_fn: LogitsFn
    ) -> AttackResult:
        """Return what the attack finds from these draws."""

    def __call__(
        self, key: PRNGKey, image: Images, label: Classes, logits_fn: LogitsFn
    ) -> Images:
        """Return the candidate only, from fresh draws."""


class CalledByKey:
    """Gives an attack that has `sample` and `run` its call by a key."""

    def __call__(
        self, key: PRNGKey, image: Images, label: Classes, logits_fn: LogitsFn
    ) -> Images:
        """Return the candidate only, from fresh draws."""
        return self.run(self.sample(key, image.shape), image, label, logits_fn).image


class Best(NamedTuple):
    """The image of largest loss so far, and that loss."""

    image: Images
    loss: Float[Array, "*b"]

    def or_better(self, image: Images, loss: Float[Array, "*b"]) -> "Best":
        """Return, for each example, the new image where its loss is larger."""
        better = loss > self.loss
        return Best(
            chosen(better, image, self.image), jnp.where(better, loss, self.loss)
        )


def nothing_yet(image: Images) -> Best:
    """Return a best that every loss is better than."""
    return Best(image, jnp.full(image.shape[:-3], -jnp.inf, image.dtype))


def chosen(mask: Bool[Array, "*b"], image: Images, other: Images) -> Images:
    """Return, for each example, `image` where the mask is set, else `other`."""
    return jnp.where(mask[..., None, None, None], image, other)


def cross_entropy(logits: Logits, label: Classes) -> Float[Array, "*b"]:
    """Return the loss of most attacks, in nats."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, label[..., 0])


def answers(image: Images, label: Classes, logits_fn: LogitsFn) -> Logits:
    """Return the model's logits, in its own dtype.

    Raises:
        ValueError: the logits are not one row an example.
    """
    logits = logits_fn(image)
    if logits.shape[:-1] != label.shape[:-1]:
        raise ValueError(
            f"got logits {logits.shape} for images {image.shape}, expected "
            f"{(*label.shape[:-1], 'classes')}: logits_fn takes one image where the "
            "attack is given one, and a batch where it is given a batch"
        )
    return logits


def losses(
    image: Images, label: Classes, logits_fn: LogitsFn, loss: Loss = cross_entropy
) -> tuple[Float[Array, "*b"], Bool[Array, "*b"]]:
    """Return each example's loss, and whether its answer is wrong.

    The loss is computed in the image's dtype, whatever that of the logits. Raises
    ValueError as `answers`.
    """
    logits = answers(image, label, logits_fn)
    wrong = logits.argmax(-1).astype(label.dtype) != label[..., 0]
    return loss(logits.astype(image.dtype), label), wrong


def losses_and_gradient(
    image: Images, label: Classes, logits_fn: LogitsFn, loss: Loss = cross_entropy
) -> tuple[Float[Array, "*b"], Bool[Array, "*b"], Images]:
    """Return `losses`, and the gradient of each example's loss in its own image."""

    def total(x):
        each, wrong = losses(x, label, logits_fn, loss)
        return each.sum(), (each, wrong)  # a sum: no example scales another's gradient

    gradient, (each, wrong) = jax.grad(total, has_aux=True)(image)
    return each, wrong, gradient


def demand_images(image: Array, label: Array) -> None:
    """Refuse what would be attacked wrongly without an error.

    Raises:
        ValueError: the images are not float32 or float64, or the labels not one for
            each image.
    """
    if image.dtype not in (jnp.float32, jnp.float64):
        raise ValueError(
            f"got images of {image.dtype}, expected float32 or float64 in [0, 1]: "
            "just below 1, bfloat16 numbers are 0.0039 apart, more than a small "
            "epsilon; convert the images, and the model's logits as you like"
        )
    if image.shape[-1:] != (3,) or label.shape != (*image.shape[:-3], 1):
        raise ValueError(
            f"got images {image.shape} and labels {label.shape}, expected one image "
            "[h, w, 3] and [1], or a batch [b, h, w, 3] and [b, 1]"
        )
