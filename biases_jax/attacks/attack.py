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
LogitsFn = Callable[[Images], Float[Array, "*b classes"]]
Draws = dict[str, Array]


class AttackResult(NamedTuple):
    """What an attack found, for each example.

    `image` is the candidate that the attack is judged by, and `fooled` whether the
    model's answer to it is wrong. `best_image` is the image of largest loss among all
    that were evaluated, `best_loss` that loss (nats, of the cross-entropy).
    `distance` is from the original to `image`, in the attack's norm. `evaluations`
    counts how often the model saw the example, with or without a gradient.
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


class Best(NamedTuple):
    """The image of largest loss so far, and that loss."""

    image: Images
    loss: Float[Array, "*b"]

    def or_better(self, image: Images, loss: Float[Array, "*b"]) -> "Best":
        """Return, for each example, the new image where its loss is larger."""
        better = loss > self.loss
        chosen = jnp.where(better[..., None, None, None], image, self.image)
        return Best(chosen, jnp.where(better, loss, self.loss))


def nothing_yet(image: Images) -> Best:
    """Return a best that every loss is better than."""
    return Best(image, jnp.full(image.shape[:-3], -jnp.inf, image.dtype))


def losses(
    image: Images, label: Classes, logits_fn: LogitsFn
) -> tuple[Float[Array, "*b"], Bool[Array, "*b"]]:
    """Return each example's cross-entropy in nats, and whether its answer is wrong.

    The loss is computed in the image's dtype, whatever that of the logits.

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
    truth = label[..., 0]
    loss = optax.softmax_cross_entropy_with_integer_labels(
        logits.astype(image.dtype), truth
    )
    return loss, logits.argmax(-1).astype(truth.dtype) != truth


def losses_and_gradient(
    image: Images, label: Classes, logits_fn: LogitsFn
) -> tuple[Float[Array, "*b"], Bool[Array, "*b"], Images]:
    """Return `losses`, and the gradient of each example's loss in its own image."""

    def total(x):
        loss, wrong = losses(x, label, logits_fn)
        return loss.sum(), (loss, wrong)  # a sum: no example scales another's gradient

    gradient, (loss, wrong) = jax.grad(total, has_aux=True)(image)
    return loss, wrong, gradient


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
