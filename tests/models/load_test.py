"""Does every way to name a model give the model, and every wrong one a clear error?"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from biases_jax.models import checkpoints, load, resnet, zoo
from convert import mapping

CODE = '''
import jax, jax.numpy as jnp, numpy as np

def apply(variables, images):
    """Two layers: a convolution and a read-out."""
    x = jax.lax.conv_general_dilated(
        images, variables["kernel"], (8, 8), "VALID",
        dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(x).mean((1, 2)) @ variables["head"]

def create():
    generator = np.random.default_rng({seed})
    kernel = generator.normal(size=(8, 8, 3, 4)).astype(np.float32)
    head = generator.normal(size=(4, 10)).astype(np.float32)
    return apply, dict(kernel=kernel, head=head)

def alone():
    return apply

value = 3
'''


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the name of an importable module with a two-layer network."""
    (tmp_path / "two_layers.py").write_text(CODE.replace("{seed}", "0"))
    monkeypatch.syspath_prepend(tmp_path)
    yield "two_layers"
    sys.modules.pop("two_layers", None)
    load._call.cache_clear()


def test_a_function_gives_a_model_that_runs(module):
    (reference,) = load.parse([f"{module}:create"])
    assert reference == load.Reference(
        "two_layers.create", function="two_layers:create"
    )
    model = load.load(reference, "unused", "float32")
    logits = jax.jit(model.apply)(model.variables, jnp.ones((2, 32, 32, 3)))
    assert logits.shape == (2, 10)
    assert load.load(reference, "unused", "float32").apply is model.apply


def test_weights_and_code_of_a_function_are_its_identity(module, tmp_path):
    (reference,) = load.parse([f"mine={module}:create"])
    first = load.weights_sha256(reference, "unused")
    assert first == load.weights_sha256(reference, "unused")
    for change in (("{seed}", "1"), ("{seed}", "0 + 0")):
        sys.modules.pop(module)
        load._call.cache_clear()
        (tmp_path / "two_layers.py").write_text(CODE.replace(*change) + "# changed")
        assert load.weights_sha256(reference, "unused") != first


@pytest.mark.parametrize(
    ("function", "message"),
    [("alone", "expected a pair"), ("absent", "no function"), ("value", "no function")],
)
def test_other_functions_are_refused(module, function, message):
    (reference,) = load.parse([f"{module}:{function}"])
    with pytest.raises(ValueError, match=message):
        load.load(reference, "unused", "float32")


def test_a_module_that_is_not_there_is_refused():
    (reference,) = load.parse(["no_such_package.vit:create"])
    with pytest.raises(ValueError, match="no_such_package"):
        load.load(reference, "unused", "float32")


def test_names_patterns_paths_and_functions_are_told_apart():
    found = load.parse(["tv_resnet50", "mine=some dir/file.pth", "a.b:c", "d=a.b:c"])
    assert found == [
        load.Reference("tv_resnet50"),
        load.Reference("mine", path="some dir/file.pth"),
        load.Reference("a.b.c", function="a.b:c"),
        load.Reference("d", function="a.b:c"),
    ]
    assert [r.name for r in load.parse(["*"])] == list(zoo.MODELS)
    assert len(load.parse(["tv_resnet50", "tv_*"])) == 1


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (["resnet51"], "resnet51"),
        (["mine="], "name=path"),
        (["my model=a.pth"], "name=path"),
        (["../x=a.pth"], "name=path"),
        (["..=a.pth"], "name=path"),
        (["mine=a.pth", "mine=b.pth"], "two models named 'mine'"),
    ],
)
def test_wrong_names_are_refused(models, message):
    with pytest.raises(ValueError, match=message):
        load.parse(models)


def test_a_converted_checkpoint_loads_with_its_sizes(tmp_path):
    generator = np.random.default_rng(0)
    state = {
        name: np.abs(generator.normal(size=leaf.shape)).astype(np.float32)
        for name, leaf in mapping.leaves(8, 10).items()
    }
    tree = mapping.to_flax(state, zoo.IMAGENET_MEAN, zoo.IMAGENET_STD)
    sizes = {"width": 8, "num_classes": 10, "stem_stride": 4}
    checkpoints.save(tmp_path / "small", tree, {"model": "small", **sizes})
    model = load.load(load.Reference("small", path="x"), tmp_path, "float32")
    assert model.apply is resnet.apply_function(8, 10, 4, "float32")
    assert model.weights_sha256 == checkpoints.weights_sha256(tree)
    assert model.variables["params"]["conv1"]["kernel"].shape == (7, 7, 3, 8)
