"""A run of two small functions on six images, without a command line."""

import json
import sys

import numpy as np
import pytest
from etils import epath
from PIL import Image

from biases_jax.config import EvaluateConfig
from biases_jax.models import functions
from biases_jax.processes import Process
from biases_jax.settings import Settings
from biases_jax.stages.request import resolve

MODULE = """
import jax.numpy as jnp
import numpy as np

def apply(variables, images):
    return images.mean((1, 2)) @ variables["head"]

def first():
    return apply, {"head": np.eye(3, 5, dtype=np.float32)}

def second():
    return apply, {"head": 2 * np.eye(3, 5, dtype=np.float32)}
"""
BENCHMARKS = ("natural/imagenet", "spectral/low_pass/0.1")
EXAMPLES = 6


@pytest.fixture
def small(tmp_path, monkeypatch):
    """Return a request for two models on two benchmarks over six images, 4 a step."""
    (tmp_path / "colour_models.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    tree = tmp_path / "images"
    generator = np.random.default_rng(0)
    for index in range(EXAMPLES):
        folder = tree / str(index % 2)
        folder.mkdir(parents=True, exist_ok=True)
        noise = generator.integers(0, 64, (224, 224, 3), dtype=np.uint8)
        tint = np.where(np.arange(3) == index % 3, 150, 30).astype(np.uint8)
        Image.fromarray(noise + tint).save(folder / f"{index}.jpeg")
    declared = {"source": "imagenet", "classes": 2, "examples": EXAMPLES}
    (tree / "dataset.json").write_text(json.dumps(declared))
    config = EvaluateConfig(
        models=("a=colour_models:first", "b=colour_models:second"),
        benchmarks=BENCHMARKS,
        data_dir=str(tree),
        batch_size=4,
        models_per_pass=1,
        workers=0,
    )
    settings = Settings(config, ("plan",), epath.Path(tmp_path / "run"), Process())
    yield resolve(settings)
    for name in ("colour_models", "broken_models"):  # a test may write the second
        sys.modules.pop(name, None)
    functions.call.cache_clear()
