"""Can a model answer for a source, and for which of its benchmarks?"""

import jax
import jax.numpy as jnp

from biases_jax import evaluate
from biases_jax.cells import Key, SourceCells
from biases_jax.models import load
from biases_jax.models.names import Reference
from biases_jax.session import Session
from biases_jax.sources import preprocess

CLASS_SPACES = {"imagenet", "real"}  # label spaces that are the models' own classes


def place(
    session: Session, cells: SourceCells, reference: Reference
) -> tuple[evaluate.Model, int]:
    """Return a model on the devices and its number of classes.

    Raises:
        ModelError: it cannot be loaded, or cannot answer for the source.
    """
    loaded = load.load(reference, session.checkpoints, session.config.precision)
    spaces = {b.score.label for b in cells.benchmarks.values()} & CLASS_SPACES
    largest = max((int(cells.dataset.labels[s].max()) for s in spaces), default=0)
    classes = load.check(loaded, preprocess.SIZE, largest)
    variables = session.spread.replicate(loaded.variables)
    return evaluate.Model(loaded.name, loaded.apply, variables), classes


def unsuited(cells: SourceCells, model: str, classes: int) -> dict[Key, str]:
    """Return the cells whose score refuses a model of so many classes, and why.

    Subsets of ImageNet's classes are named by their places among its 1000.
    """
    logits = jax.ShapeDtypeStruct((classes,), jnp.float32)
    found = {}
    for name, benchmark in cells.benchmarks.items():
        labels = cells.dataset.labels[benchmark.score.label]
        label = jax.ShapeDtypeStruct(labels.shape[1:], labels.dtype)
        try:
            jax.eval_shape(benchmark.score, logits, label)
        except ValueError as error:
            found[model, name] = f"{model} on {name}: {error}"
    return found
