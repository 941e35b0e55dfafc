"""Both frameworks' answers for one small network on three small images."""

import functools

import parity_inputs
import pytest
from parity import faults

from biases_jax.models import activations
from biases_jax.parity import epsilon, reference, runs, stem, subjects
from convert import mapping

SIDE, COUNT = 64, 3


def tree_of(state):
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    return mapping.to_flax(arrays, parity_inputs.MEAN, parity_inputs.STD)


@pytest.fixture(scope="session")
def images():
    return parity_inputs.images(COUNT, SIDE)


@pytest.fixture(scope="session")
def of_torch(images):
    """Return PyTorch's answers as a reference, under a fault if one is named."""

    @functools.cache
    def answer(seed=0, fault=""):
        state = parity_inputs.state_dict(seed)
        built, found = faults.network(state), {}
        exact = faults.answers(built, images, "float64", None)
        labels = runs.decisions(runs.of(exact, "torch", "float64", {}))
        for precision in ("float64", "float32"):
            if fault:
                made = faults.injected(fault, state, images, precision, labels)
            else:
                made = faults.answers(built, images, precision, labels)
            found[precision] = runs.of(made, "torch", precision, {"device": "cpu"})
        return reference.Reference(f"seed {seed}", str(seed), labels, found)

    return answer


@pytest.fixture(scope="session")
def of_jax():
    """Return a subject whose answers are computed once for each precision and seed."""

    @functools.cache
    def subject(seed=0):
        tree = tree_of(parity_inputs.state_dict(seed))
        sizes = activations.Sizes(parity_inputs.WIDTH, parity_inputs.CLASSES, 2)
        kept = {}

        def answer(pixels, precision, labels):
            key = (precision, labels.tobytes())
            if key not in kept:
                kept[key] = activations.answers(tree, sizes, pixels, precision, labels)
            return kept[key]

        return subjects.Subject(
            name=f"seed {seed}",
            framework="jax",
            weights_sha256=str(seed),
            precisions=activations.PRECISIONS,
            lacking="",
            answer=answer,
            about={"device": "cpu"},
            normalize=(parity_inputs.MEAN, parity_inputs.STD),
            noise=lambda pixels: stem.noise(tree, 2, pixels),
            epsilon=lambda pixels: epsilon.changed(tree, sizes, pixels),
        )

    return subject
