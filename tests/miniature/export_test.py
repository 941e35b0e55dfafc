"""Are the small networks' files like those that researchers publish?"""

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from etils import epath

from biases_jax import labels
from biases_jax.miniature import classes, export, training
from biases_jax.miniature.recipes import RECIPES
from biases_jax.models import load, names
from convert import run, safetensors_file


@pytest.fixture(scope="module")
def variables():
    images = jnp.zeros((1, 64, 64, 3))
    return training.small_network().init(jax.random.key(3), images)


@pytest.fixture
def folder(tmp_path, variables):
    curve = [training.Curve(100, 1.5, 0.5), training.Curve(200, 0.5, 0.75)]
    export.write(RECIPES["noise"], variables, curve, 0.875, epath.Path(tmp_path))
    return tmp_path


def test_file_has_the_log_beside_the_tensors(folder):
    assert [path.name for path in folder.iterdir()] == ["noise.safetensors"]
    tensors, metadata = safetensors_file.read(folder / "noise.safetensors")
    assert {str(array.dtype) for array in tensors.values()} == {"float16"}
    assert metadata["stem_stride"] == "4"
    log = json.loads(metadata["training"])
    assert log["recipe"] == "noise" and log["validation_accuracy"] == 0.875
    assert log["curve"][-1] == [200, 0.5, 0.75]


def test_converted_network_answers_in_imagenets_classes(folder, variables):
    path = str(folder / "noise.safetensors")
    run.convert("noise", path, "", folder / "out")
    loaded = load.load(names.Reference("noise", path=path), folder / "out", "float32")
    images = jnp.asarray(np.random.default_rng(4).random((2, 64, 64, 3), np.float32))
    logits = np.asarray(loaded.apply(loaded.variables, images))
    assert logits.shape == (2, len(labels.WNIDS))
    expected, _ = training.small_network().apply(variables, images, train=False)
    # The tensors were rounded to float16, 11 bits.
    found = logits[:, list(classes.INDICES)]
    np.testing.assert_allclose(found, expected, atol=5e-3 * np.ptp(expected))
    others = np.delete(logits, list(classes.INDICES), axis=1)
    assert (others == export.NEVER).all()
