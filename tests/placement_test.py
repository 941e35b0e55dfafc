"""Is a model refused that lacks a class of the labels by which it is judged?"""

import jax
import jax.numpy as jnp
import pytest
from analysis import synthetic
from etils import epath
from sources import identity_test

from biases_jax import benchmarks, placement, results, sharding
from biases_jax.cells import SourceCells
from biases_jax.config import EvaluateConfig
from biases_jax.models import load
from biases_jax.models.names import Reference
from biases_jax.processes import Process
from biases_jax.session import Session


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Return a function that places a model of so many classes for a benchmark."""
    opened = identity_test.opened(imagenet=(0, 4, 2), real=[[7, -1], [0, 5], [-1, -1]])
    session = Session(
        config=EvaluateConfig(),
        process=Process(),
        spread=sharding.spread("shard_map", jax.devices()[:1]),
        store=results.ResultsStore(epath.Path(tmp_path), synthetic.RUN),
        checkpoints=epath.Path(tmp_path),
        records=None,
    )

    def placed(name, classes):
        def apply(variables, images):
            return jnp.zeros((images.shape[0], classes))

        loaded = load.Loaded("mine", apply, {})
        monkeypatch.setattr(load, "load", lambda *arguments: loaded)
        (benchmark,) = benchmarks.select((name,))
        cells = SourceCells(opened, {name: benchmark}, {})
        return placement.place(session, cells, Reference("mine", function="a:b"))

    return placed


@pytest.mark.parametrize(
    ("name", "largest"), [("natural/imagenet", 4), ("natural/imagenet_real", 7)]
)
def test_a_model_must_have_the_largest_class_of_the_labels(place, name, largest):
    with pytest.raises(load.ModelError, match=f"expected more than {largest}"):
        place(name, largest)
    model, classes = place(name, largest + 1)
    assert (model.name, classes) == ("mine", largest + 1)
