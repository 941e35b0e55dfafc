"""How is a model asked for its answers in JAX?"""

import dataclasses
import functools
import importlib.metadata
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np
from etils import epath

from biases_jax.models import activations, checkpoints, functions, load
from biases_jax.models.names import Reference
from biases_jax.parity import epsilon, runs, stem
from biases_jax.parity import reference as references

LIBRARIES = ("biases_jax", "flax", "jax", "jaxlib", "numpy")
Answer = Callable[[Any, str, Any], activations.Answers]


@dataclasses.dataclass(frozen=True)
class Subject:
    """A model in one framework.

    `answer(images, precision, labels)` gives its answers in one of `precisions`; why
    others are not there is `lacking`. `normalize` holds mean and std, and `noise` and
    `epsilon` are `stem.noise` and `epsilon.changed` of the images, all None for a model
    that is a function.
    """

    name: str
    framework: str
    weights_sha256: str
    precisions: tuple[str, ...]
    lacking: str
    answer: Answer
    about: Mapping[str, Any]
    normalize: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    noise: Callable[[Any], Mapping[str, float]] | None = None
    epsilon: Callable[[Any], runs.Values] | None = None

    def run(self, images: Any, precision: str, labels: Any = None) -> runs.Run:
        """Return the answers as a run that holds all values."""
        answers = self.answer(images, precision, labels)
        return runs.of(answers, self.framework, precision, self.about)


def ask(
    subject: Subject,
    pixels: activations.Pixels,
    precisions: Any,
    keep: Callable[[runs.Run], runs.Run] = lambda run: run,
) -> references.Reference:
    """Return a model's answers; the most exact ones decide the labels.

    `precisions` are in order, the exact ones first; of each run, `keep` is kept.
    """
    labels, answers = np.zeros(len(pixels), np.int64), {}
    for precision in precisions:
        answers[precision] = subject.run(pixels, precision, labels if answers else None)
        if len(answers) == 1:
            labels = runs.decisions(answers[precision])
        answers[precision] = keep(answers[precision])
    return references.Reference(subject.name, subject.weights_sha256, labels, answers)


def of_jax(reference: Reference, folder: epath.Path) -> Subject:
    """Return a converted model, or a function, as evaluation runs it on this backend.

    Raises:
        load.ModelError: it is not converted, damaged, or the function fails.
    """
    identity = load.weights_sha256(reference, folder)
    if reference.function:
        return _function(reference, identity)
    path = folder / reference.name
    manifest = checkpoints.read_manifest(path)
    sizes = activations.Sizes(*(manifest[n] for n in activations.Sizes._fields))
    try:
        tree = checkpoints.load_unfolded(path)
    except functions.FAILURES as error:
        raise load.ModelError(
            f"{reference.name}: the converted checkpoint in {path} cannot be read "
            f"({type(error).__name__}: {error}); delete that folder and convert again"
        ) from error
    double = activations.has_float64()
    return Subject(
        name=reference.name,
        framework="jax",
        weights_sha256=identity,
        precisions=activations.PRECISIONS if double else activations.PRECISIONS[1:],
        lacking=f"no float64 on {jax.default_backend()}",
        answer=functools.partial(activations.answers, tree, sizes),
        about=about(),
        normalize=(tuple(manifest["mean"]), tuple(manifest["std"])),
        noise=functools.partial(stem.noise, tree, sizes.stem_stride),
        epsilon=functools.partial(epsilon.changed, tree, sizes),
    )


def about() -> dict[str, Any]:
    """Return versions and device of this process' JAX."""
    device = jax.devices()[0]
    return {
        "libraries": {name: importlib.metadata.version(name) for name in LIBRARIES},
        "platform": device.platform,
        "device": device.device_kind,
    }


def _function(reference: Reference, identity: str) -> Subject:
    apply, variables = functions.call(reference.function)

    def answer(images, precision, labels):
        def loss(pixels, classes):
            logits = apply(variables, pixels)
            return activations.cross_entropy(logits, classes), {"logits": logits}

        @jax.jit
        def both(pixels, classes):
            gradient, stages = jax.grad(loss, has_aux=True)(pixels, classes)
            return stages, gradient

        with jax.default_matmul_precision("highest"):
            return activations.by_steps(both, images, labels)

    return Subject(
        name=reference.name,
        framework="jax",
        weights_sha256=identity,
        precisions=("float32",),
        lacking="a function sets its own precision",
        answer=answer,
        about=about(),
    )
